"""The printed report: tables, the bars, and a plot."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tabulate import tabulate

from benchmarks.bars import verdicts
from benchmarks.call_overhead import FLOOR, LEAST
from benchmarks.cases.crossover import SIZES
from benchmarks.peers import OURS
from benchmarks.results import BYTES, SECONDS, Results, Row, machine
from benchmarks.verdicts import MET, NOT_MEASURED, SHORT, SKIPPED, Verdict

PLOTTED = (
    "radius query",
    "nearest",
    "8 nearest",
    "box query, 12 hits",
    "radius query, batch",
    "nearest, batch",
    "move one unit",
    "move all units",
    "bulk build",
    "overlapping pairs",
)


SCALES = {
    SECONDS: ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")),
    BYTES: ((2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B")),
}


def text(results: Results) -> str:
    """The whole report, as it is printed and kept."""
    about = machine()
    mode = "compiled" if about["compiled"] else "NOT compiled"
    parts = [
        f"tilequad ({mode}) on {about['cpu']}, {about['cores']} cores, "
        f"Python {about['python']}, {about['day']}.",
        "Medians; in brackets, the ratio to ours.",
    ]
    for operation, spread in groups(results):
        rows = [row for row in results.rows if (row.operation, row.spread) == (operation, spread)]
        parts.append(f"{operation}, {spread}, per {rows[0].per}\n{comparison(rows)}")
    if results.frames:
        parts.append(frames(results))
    if results.crossover:
        parts.append(crossover(results))
    parts += [f"skipped: {name}, {why}" for name, why in results.skipped.items()]
    parts += [f"note: {note}" for note in results.notes]
    parts += bars(results)
    return "\n\n".join(parts) + "\n"


def groups(results: Results) -> list[tuple[str, str]]:
    """The operations and spreads, each once, in the order of running."""
    return list(dict.fromkeys((row.operation, row.spread) for row in results.rows))


def comparison(rows: list[Row]) -> str:
    """A contestant a line, a number of units a column."""
    counts = sorted({row.count for row in rows})
    medians = {(row.contestant, row.count): row.median for row in rows}
    lines = [["", *(f"{count:,}" for count in counts)]]
    for name in dict.fromkeys(row.contestant for row in rows):
        cells = [
            cell(medians.get((name, count)), medians.get((OURS, count)), name, rows[0].unit)
            for count in counts
        ]
        lines.append([name, *cells])
    return table(lines)


def cell(amount: float | None, ours: float | None, name: str, unit: str) -> str:
    if amount is None or name == OURS or ours is None:
        return readable(amount, unit)
    return f"{readable(amount, unit)} ({amount / ours:.3g}x)"


def frames(results: Results) -> str:
    """The frame of a game, in milliseconds."""
    lines = [["a frame of a game, units", "p50", "p99"]]
    for count, times in results.frames.items():
        lines.append([f"{count:,}", f"{times['p50_ms']:.3f} ms", f"{times['p99_ms']:.3f} ms"])
    return table(lines)


def crossover(results: Results) -> str:
    """The number of units from which on ours is ahead: a verb a column, a rival a line."""
    verbs = list(results.crossover)
    lines = [["ahead from this many units on", *verbs]]
    for rival in dict.fromkeys(name for won in results.crossover.values() for name in won):
        found = [results.crossover[verb].get(rival, "-") for verb in verbs]
        lines.append([rival, *(f"not at {SIZES[-1]:,}" if at is None else at for at in found)])
    return table(lines)


def bars(results: Results) -> list[str]:
    """The bars that this run measured, their sum, and what the floor is."""
    judged = verdicts(results)
    shown = [line for line in judged if line.ours is not None or line.state == SKIPPED]
    if not shown:
        return []
    counts = Counter(line.state for line in judged)
    states = (MET, SHORT, SKIPPED, NOT_MEASURED)
    header = ["bar", "ours", "against", "ratio", "allowed", ""]
    parts = [table([header, *map(bar_line, shown)], "left")]
    parts.append("bars: " + ", ".join(f"{counts[state]} {state}" for state in states))
    if any(row.contestant == FLOOR for row in results.rows):
        floor = "\n".join(f"  {name}: {least}" for name, least in LEAST.items())
        parts.append(f"the floor, the least that a call costs with no tree behind it:\n{floor}")
    return parts


def bar_line(line: Verdict) -> list[str]:
    against, allowed = readable(line.reference, line.unit), readable(line.allowed, line.unit)
    ratio = "-" if line.ratio is None else f"{line.ratio:.3g}x"
    return [line.name, readable(line.ours, line.unit), against, ratio, allowed, line.margin]


def table(lines: list[list[str]], last: str = "right") -> str:
    """A header and lines. The first column is aligned left, numbers right, the last as asked."""
    align = ("left", *("right" for _ in lines[0][2:]), last)
    return tabulate(lines[1:], lines[0], tablefmt="plain", colalign=align, disable_numparse=True)


def readable(amount: float | None, unit: str = SECONDS) -> str:
    """Seconds or bytes with three digits and a unit."""
    if amount is None:
        return "-"
    size, name = next(
        (scale for scale in SCALES[unit] if amount >= scale[0]),
        SCALES[unit][-1],
    )
    return f"{amount / size:.3g} {name}"


def plot(results: Results, path: Path) -> bool:
    """Draw the operations side by side; False without matplotlib or without anything to draw."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot

    operations = [
        operation for operation in PLOTTED if len(series(results, operation).get(OURS, [])) > 1
    ]
    if not operations:
        return False
    columns = min(5, len(operations))
    lines = -(-len(operations) // columns)
    figure, axes = pyplot.subplots(
        lines, columns, figsize=(3.4 * columns, 3.2 * lines), squeeze=False, layout="constrained"
    )
    names = list(dict.fromkeys(row.contestant for row in results.rows))
    colors = dict(zip(names, matplotlib.color_sequences["tab20"] * 2, strict=False))
    for ax in axes.flat[len(operations) :]:
        ax.axis("off")
    for operation, ax in zip(operations, axes.flat, strict=False):
        draw(ax, results, operation, colors)
    handles = {}
    for ax in axes.flat:
        handles.update(dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True)))
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=5, frameon=False)
    about = machine()
    figure.suptitle(f"Time of one operation by number of units, uniform: {about['cpu']}")
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    return True


def series(results: Results, operation: str) -> dict[str, list[tuple[int, float]]]:
    """Number of units and seconds, by contestant."""
    found = {}
    for row in results.rows:
        if (row.operation, row.spread) == (operation, "uniform"):
            found.setdefault(row.contestant, []).append((row.count, row.median))
    return found


def draw(ax, results: Results, operation: str, colors: dict) -> None:
    """One operation: a line for each contestant on logarithmic axes; ours is thick."""
    for name, points in series(results, operation).items():
        counts, times = zip(*sorted(points), strict=True)
        color = "black" if name == OURS else colors[name]
        width = 2.6 if name == OURS else 1.3
        micros = [seconds * 1e6 for seconds in times]
        ax.loglog(counts, micros, "o-", color=color, lw=width, ms=3, label=name)
    ax.set_title(operation, fontsize=10)
    ax.set_ylabel("microseconds", fontsize=8)
    ax.tick_params(labelsize=8)
    ax.grid(alpha=0.25)
