"""Draws the moving pictures of gallery.md: `python docs/gallery.py FOLDER [NAME ...]`."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from PIL import Image

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "gallery.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MOVING = re.compile(r"\(gallery/(\w+)\.webp\)")
FRAME = 66  # milliseconds


def names(markdown: str) -> list[str]:
    """The moving pictures that a page shows."""
    return MOVING.findall(markdown)


def cards() -> str:
    """The start page's cards: each moving picture, with its heading and where its program is."""
    text = PAGE.read_text("utf-8")
    found = re.findall(r"^## (.+)\n\n!\[(.+)\]\((gallery/\w+\.webp)\)", text, re.MULTILINE)
    shown = []
    for title, said, path in found:
        section = f"gallery.md#{title.lower().replace(' ', '-')}"
        shown.append(f"-   [![{said}]({path})]({section})\n\n    **{title}**\n")
    return '<div class="grid cards" markdown>\n\n' + "\n".join(shown) + "\n</div>\n"


def moving_pictures(wanted: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Run the programs, and yield the moving pictures by name, as WebP."""
    programs: dict[str, Any] = {"__name__": "gallery"}
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        for block in BLOCK.findall(PAGE.read_text("utf-8")):
            exec(block, programs)
        for name in wanted:
            yield name, animated(programs[name]())
    finally:
        os.chdir(before)


def animated(pictures: Iterable[Image.Image]) -> bytes:
    """Pictures as an endless WebP."""
    first, *others = [picture.convert("RGB") for picture in pictures]
    written = io.BytesIO()
    first.save(
        written, "WEBP", save_all=True, append_images=others, duration=FRAME, loop=0,
        quality=55, method=3,
    )  # fmt: skip
    return written.getvalue()


def main() -> None:
    """Draw what the command line names."""
    folder, *wanted = sys.argv[1:]
    for name, content in moving_pictures(wanted or names(PAGE.read_text("utf-8"))):
        path = Path(folder, f"{name}.webp")
        path.write_bytes(content)
        print(f"{path}: {len(content) / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
