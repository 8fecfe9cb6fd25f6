"""Real maps, damaged: each must end in a map or a MapError, and stay within the limits.

    python -m tests.fuzz_maps --corpus FOLDER --count 20000 --seed 1

The short run in the tests uses the same damage on the few maps that the tests write themselves.
"""

from __future__ import annotations

import argparse
import gc
import random
import re
import shutil
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from tqdm import tqdm

from tilequad.draw.pillow import render
from tilequad.tiled import Limits, MapError, load_map

NASTY = [
    *(b"", b"0", b"-1", b"1", b"3", b"0.5", b"-0.75", b"65536", b"99999999", b"2147483647"),
    *(b"4294967295", b"-2147483648", b"1e300", b"nan", b"inf", b"x", b"true", b"\xff", b"../.."),
    *(b"/etc/passwd", b"zlib", b"zstd", b"gzip", b"base64", b"csv", b"isometric", b"hexagonal"),
    *(b"staggered", b"oblique", b"orthogonal", b"left-up", b"grid", b"even", b"x" * 300),
]
# Small enough that a run over thousands of maps is soon done; what is within them may be used.
LIMITS = Limits(cells=1 << 18, pixels=1 << 20, tiles=1 << 14)
MEMORY = 2 << 30  # bytes of address space beyond which the long run ends


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The file with one to five things wrong in it."""
    for _ in range(rng.randint(1, 5)):
        data = rng.choice(DAMAGES)(data, rng)
    return data


def _value(data: bytes, rng: random.Random) -> bytes:
    """One attribute, or one value of JSON, is another."""
    places = list(re.finditer(rb'(?<==")[^"<>]*(?=")|(?<=:)[\d.-]+', data[:200_000]))
    if not places:
        return data
    place = rng.choice(places)
    return data[: place.start()] + rng.choice(NASTY) + data[place.end() :]


def _name(data: bytes, rng: random.Random) -> bytes:
    """One element or attribute is called like another."""
    places = list(re.finditer(rb"[a-z]{3,}", data[:200_000]))
    if not places:
        return data
    place, other = rng.choice(places), rng.choice(places)
    return data[: place.start()] + other[0] + data[place.end() :]


def _bytes(data: bytes, rng: random.Random) -> bytes:
    """A few bytes are others."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _cut(data: bytes, rng: random.Random) -> bytes:
    """A piece is missing."""
    start = rng.randrange(len(data) + 1)
    return data[:start] + data[start + rng.randint(1, 200) :]


def _twice(data: bytes, rng: random.Random) -> bytes:
    """An element is there twice, or ten times."""
    elements = list(re.finditer(rb"<(\w+)[^<>]*/>|<(\w+)[^<>]*>[^<>]*</\2>", data[:200_000]))
    if not elements:
        return data
    element = rng.choice(elements)
    return data[: element.end()] + element[0] * rng.choice((1, 10)) + data[element.end() :]


# Values most of all: a file that is no XML any more is refused by the first line of the reader.
DAMAGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *[_value] * 12,
    *[_twice] * 4,
    _name,
    _bytes,
    _cut,
)


def use(path: Path) -> str:
    """Open a map and ask it for everything; what comes out, in a word.

    Raises:
        Exception: Anything but a MapError is a fault.
    """
    try:
        world = load_map(path, limits=LIMITS)
    except MapError:
        return "refused"
    for layer, ids in world.cull((0, 0, 300, 200)):
        layer.boxes(ids)
        layer.nodes() if hasattr(layer, "nodes") else None
    outcome = "a map"
    for ask in (lambda: world.tmx, lambda: render(world, (0, 0, 64, 64)), lambda: render(world)):
        try:
            ask()
        except MapError:
            outcome = "a map, but no picture or pytmx map"
    return outcome


def many(paths: list[Path], count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Damage maps and use them; yields each outcome, "fault" among them, and the map.

    Args:
        paths: The maps; damaged ones are written beside them.
        count: How many damaged maps.
        seed: The same seed damages alike.
    """
    rng = random.Random(seed)
    for _ in range(count):
        path = rng.choice(paths)
        data = damaged(path.read_bytes(), rng)
        written = path.with_name(f"damaged{path.suffix}")
        written.write_bytes(data)
        try:
            yield use(written), data
        except Exception:
            traceback.print_exc()
            yield "fault", data
        written.unlink()


def writable_copy(source: Path, folder: Path) -> Path:
    """Copy a folder of maps, whatever may be done with the originals."""
    shutil.copytree(source, folder, copy_function=shutil.copyfile)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


def limit_memory() -> None:
    """Let the run end beyond MEMORY, on systems that can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, required=True, help="the folder of real maps")
    parser.add_argument("--count", type=int, default=20_000, help="damaged maps (20000)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    limit_memory()
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = writable_copy(options.corpus / "maps", Path(name) / "maps")
        paths = sorted(path for path in folder.rglob("*.tm[xj]") if path.stat().st_size < 100_000)
        runs = many(paths, options.count, options.seed)
        for outcome, data in tqdm(runs, total=options.count):
            outcomes[outcome] += 1
            if outcomes.total() % 100 == 0:
                gc.collect()  # errors and their frames hold each other, and images with them
            if outcome == "fault":
                fault = Path(f"fault-{options.seed}-{outcomes['fault']}.tmx")
                fault.write_bytes(data)
    print(dict(outcomes))
    raise SystemExit(bool(outcomes["fault"]))


if __name__ == "__main__":
    main()
