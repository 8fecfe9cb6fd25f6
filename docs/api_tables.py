"""Writes the tables at the top of the API's pages: each name, and the first line of its docstring.

So the pages can be read where nothing is built. `python docs/api_tables.py` writes them;
tests/test_site.py tells when they must be written anew.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

PAGES = Path(__file__).parent / "api"
NAME = re.compile(
    r"^::: (tilequad[\w.]+)\n+(?:    .*\n+)*(?:(?=[A-Z])(.+(?:\n.+)*))?", re.MULTILINE
)
TABLE = re.compile(r"<!-- names -->\n.*?<!-- /names -->\n", re.DOTALL)


def with_table(text: str) -> str:
    """Return a page with its table as it must be."""
    rows = [
        f"| [`{name.rpartition('.')[2]}`](#{name}) | {described(name, said)} |"
        for name, said in NAME.findall(text)
    ]
    lines = "\n".join(["| name | |", "|---|---|", *rows])
    table = f"<!-- names -->\n{lines}\n<!-- /names -->\n"
    if TABLE.search(text):
        return TABLE.sub(lambda found: table, text)
    before, mark, after = text.partition("\n::: ")
    return f"{before}\n{table}{mark}{after}"


def described(name: str, said: str) -> str:
    """Return what a name stands for, in a sentence: of its docstring, or of the page."""
    package, _, short = name.rpartition(".")
    found = getattr(import_module(package), short)
    text = said if isinstance(found, int | float | bool) else found.__doc__ or said
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    return re.split(r"(?<=[.:])\s+(?=[A-Z])", paragraph)[0].replace("|", "\\|")


def main() -> None:
    """Write the tables of all pages."""
    for page in sorted(PAGES.glob("*.md")):
        if page.name != "README.md":
            page.write_text(with_table(page.read_text("utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
