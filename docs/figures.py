"""The tables and plots of the site, made from what `python -m benchmarks` has kept.

A page asks for one by a comment of its own line, such as `<!-- table: tiles -->`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
MACHINE = "intel-r-xeon-r-processor-2-cores"  # a folder of benchmarks/results
FOLDER = "figures"  # of the plots, beside the page
OURS = "tilequad"
VERSUS = "versus "
EDIT = "change a tile and cull"
FLOORS = ("grid in C", "dictionary of the units", "one textured fill", "clearing the screen alone")
OTHERS = (OURS, *FLOORS, "a new field", "one field")  # contestants that are no rivals
ASK = re.compile(r"^<!-- (table|plot): (.+) -->$", re.MULTILINE)
STEPS = {"s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))}
STEPS["bytes"] = ((2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))

Kept = dict[str, Any]


def kept(machine: str = MACHINE) -> Kept:
    """What the benchmarks have kept of a machine."""
    path = ROOT / "benchmarks" / "results" / machine / "results.json"
    found: Kept = json.loads(path.read_text(encoding="utf-8"))
    return found


def fill(markdown: str, results: Kept) -> str:
    """Put the tables and the links to the plots where a page asks for them."""

    def answer(asked: re.Match[str]) -> str:
        kind, name = asked.groups()
        if kind == "plot":
            times(results, name)  # that there are some
            return f"![{name}, by number of units]({FOLDER}/{file_name(name)})"
        if name.startswith(VERSUS):
            return versus(results, name.removeprefix(VERSUS))
        made = TABLES.get(name)
        return made(results) if made else by_count(results, name)

    return ASK.sub(answer, markdown)


def asked_plots(markdown: str) -> list[str]:
    """The operations whose plots a page asks for."""
    return [name for kind, name in ASK.findall(markdown) if kind == "plot"]


def times(results: Kept, operation: str, spread: str = "uniform") -> dict[str, dict[int, float]]:
    """The least seconds, or the mean of frames, by contestant and number of units."""
    found: dict[str, dict[int, float]] = {}
    for row in results["rows"]:
        if (row["operation"], row["spread"]) == (operation, spread):
            taken = row["mean" if row["frames"] else "least"]
            found.setdefault(row["contestant"], {})[row["count"]] = taken
    if not found:
        raise KeyError(f"the benchmarks have kept nothing of {operation!r}, {spread}")
    return found


def by_count(results: Kept, operation: str) -> str:
    """One operation: a contestant a line, a number of units a column."""
    taken = times(results, operation)
    counts = sorted({count for mine in taken.values() for count in mine})
    lines = [["", *(f"{count:,}" for count in counts)]]
    for name, mine in taken.items():
        lines.append([name, *(readable(mine.get(count)) for count in counts)])
    return table(lines)


def machine(results: Kept) -> str:
    """What the figures were taken on."""
    about = results["machine"]
    packages = ", ".join(f"{name} {version}" for name, version in about["packages"].items())
    return (
        f"{about['cpu']}, {about['cores']} cores, {about['system']}, Python {about['python']}, "
        f"{about['day']}. {packages}."
    )


def crossover(results: Kept) -> str:
    """The number of units from which on the tree is ahead: a rival a line, a question a column."""
    won = results["crossover"]
    rivals = dict.fromkeys(rival for verb in won.values() for rival in verb)
    lines = [["instead of the tree", *won]]
    for rival in rivals:
        found = [won[verb].get(rival, "-") for verb in won]
        lines.append([rival, *("never" if at is None else str(at) for at in found)])
    return table(lines)


def lost(results: Kept) -> str:
    """Everything in which another library is faster than the tree of units."""
    lines = [["operation", "units", "who is faster", "times as fast"]]
    for operation, spread in dict.fromkeys((r["operation"], r["spread"]) for r in results["rows"]):
        taken = times(results, operation, spread)
        for name, mine in taken.items():
            if name.startswith(OTHERS) or "memory" in operation:
                continue
            for count, seconds in mine.items():
                ours = taken.get(OURS, {}).get(count)
                if ours is not None and seconds < ours:
                    about = f"{operation}, {spread}"
                    lines.append([about, f"{count:,}", name, f"{ours / seconds:.2g}"])
    return table(lines)


def versus(results: Kept, rival: str, count: int = 10_000) -> str:
    """What ours and one other library take, with 10,000 units evenly spread."""
    lines = [["10,000 units", OURS, rival, "theirs / ours"]]
    for operation in dict.fromkeys(row["operation"] for row in results["rows"]):
        rows = [row for row in results["rows"] if row["operation"] == operation]
        if all(row["spread"] != "uniform" for row in rows):
            continue
        taken = times(results, operation)
        for name in (name for name in taken if name.split(",")[0] == rival):
            ours, theirs = (taken.get(one, {}).get(count) for one in (OURS, name))
            if ours is not None and theirs is not None:
                about = operation + name.removeprefix(rival)
                ratio = f"{theirs / ours:.2g}"
                lines.append([about, readable(ours), readable(theirs), ratio])
    if len(lines) == 1:
        raise KeyError(f"the benchmarks have kept nothing of {rival!r}")
    return table(lines)


def tiles(results: Kept) -> str:
    """What layers of a million tiles and more cost."""
    lines = [["", "1024 x 1024", "4096 x 4096"]]
    units = {row["operation"]: row["unit"] for row in results["rows"]}
    for operation in ("open a map", "open a map, peak memory", "cull a layer", EDIT):
        for name, mine in times(results, operation, "orthogonal").items():
            cells = [readable(mine.get(side * side), units[operation]) for side in (1024, 4096)]
            lines.append([f"{operation}: {name}", *cells])
    return table(lines)


TABLES: dict[str, Callable[[Kept], str]] = {
    "machine": machine,
    "crossover": crossover,
    "lost": lost,
    "tiles": tiles,
}


def table(lines: list[list[str]]) -> str:
    """A table in Markdown: a header and lines."""
    rule = ["---", *("---:" for _ in lines[0][1:])]
    return "\n".join(f"| {' | '.join(line)} |" for line in [lines[0], rule, *lines[1:]])


def readable(amount: float | None, unit: str = "s") -> str:
    """Seconds or bytes with three digits and a unit."""
    if amount is None:
        return "-"
    steps = STEPS["s" if unit == "s" else "bytes"]
    size, name = next((step for step in steps if amount >= step[0]), steps[-1])
    return f"{amount / size:.3g} {name}"


def file_name(operation: str) -> str:
    """The file of a plot."""
    return re.sub(r"[^a-z0-9]+", "-", operation.lower()) + ".svg"


def plot(results: Kept, operation: str) -> bytes:
    """A line for each contestant on logarithmic axes; ours is thick. An SVG."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "tilequad"  # the same file every time
    matplotlib.rcParams["svg.fonttype"] = "none"  # words, not the outlines of their letters
    from matplotlib import pyplot

    figure, ax = pyplot.subplots(figsize=(9, 4.6), layout="constrained")
    names = list(dict.fromkeys(row["contestant"] for row in results["rows"]))
    colors = dict(zip(names, matplotlib.color_sequences["tab20"] * 2, strict=False))
    colors |= {OURS: "black", FLOORS[0]: "silver"}
    for name, mine in times(results, operation).items():
        counts, seconds = zip(*sorted(mine.items()), strict=True)
        micros = [second * 1e6 for second in seconds]
        width, style = (3 if name == OURS else 1.4), ("o:" if name in FLOORS else "o-")
        ax.loglog(counts, micros, style, color=colors[name], lw=width, ms=3, label=name)
    ax.set(title=operation, xlabel="units", ylabel="microseconds")
    ax.grid(alpha=0.25)
    figure.legend(loc="outside right upper", frameon=False)
    file = BytesIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    return file.getvalue()
