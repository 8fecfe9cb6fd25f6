"""The printed report: tables, the bars, and a plot."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tabulate import tabulate

from benchmarks.bars import MET, NOT_MEASURED, SHORT, SKIPPED, Verdict, bars, verdict
from benchmarks.cases.crossover import SIZES
from benchmarks.peers import OURS
from benchmarks.results import BYTES, SECONDS, Results, Row, machine

PLOTTED = (
    *("radius query", "nearest", "8 nearest", "box query, 12 hits", "radius query, batch"),
    *("nearest, batch", "move one unit", "move all units", "bulk build", "overlapping pairs"),
)
SCALES = {
    SECONDS: ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
    BYTES: ((2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B")),
}


def text(results: Results) -> str:
    """The whole report, as it is printed and kept."""
    about = machine()
    mode = "compiled" if about["compiled"] else "NOT compiled"
    parts = [
        f"tilequad ({mode}) on {about['cpu']}, {about['cores']} cores, "
        f"Python {about['python']}, {about['day']}.",
        "Processor time. Of what is repeated in rounds, the least; in brackets, the ratio to ours.",
    ]
    for operation, spread in dict.fromkeys((one.operation, one.spread) for one in results.rows):
        rows = [one for one in results.rows if (one.operation, one.spread) == (operation, spread)]
        if not rows[0].frames:
            parts.append(f"{operation}, {spread}, per {rows[0].per}\n{comparison(rows)}")
    timed_alone = [one for one in results.rows if one.frames]
    if timed_alone:
        parts.append(f"Each call timed alone: what a player sees.\n{frames(timed_alone)}")
    if results.crossover:
        parts.append(crossover(results))
    parts += [f"skipped: {name}, {why}" for name, why in results.skipped.items()]
    parts += [f"note: {note}" for note in results.notes]
    return "\n\n".join([*parts, *judged(results)]) + "\n"


def comparison(rows: list[Row]) -> str:
    """A contestant a line, a number of units a column."""
    counts = sorted({one.count for one in rows})
    amounts = {(one.contestant, one.count): one.least for one in rows}
    lines = [["", *(f"{count:,}" for count in counts)]]
    for name in dict.fromkeys(one.contestant for one in rows):
        cells = [readable(amounts.get((name, count)), rows[0].unit) for count in counts]
        for place, count in enumerate(counts):
            ours = amounts.get((OURS, count))
            if name != OURS and ours and (name, count) in amounts:
                cells[place] += f" ({amounts[name, count] / ours:.3g}x)"
        lines.append([name, *cells])
    return table(lines)


def frames(rows: list[Row]) -> str:
    """An operation a line, by contestant: the mean, what 99 of 100 stay below, the worst."""
    lines = [["", "", "mean", "p99", "worst", "of"]]
    for one in rows:
        cells = [readable(seconds) for seconds in (one.mean, one.p99, one.worst)]
        about = f"{one.operation}, {one.spread}, {one.count:,}"
        lines.append([about, one.contestant, *cells, str(one.samples)])
    return table(lines)


def crossover(results: Results) -> str:
    """The number of units from which on ours is ahead: a verb a column, a rival a line."""
    verbs = list(results.crossover)
    lines = [["ahead from this many units on", *verbs]]
    for rival in dict.fromkeys(name for won in results.crossover.values() for name in won):
        found = [results.crossover[verb].get(rival, "-") for verb in verbs]
        lines.append([rival, *(f"not at {SIZES[-1]:,}" if at is None else str(at) for at in found)])
    return table(lines)


def judged(results: Results) -> list[str]:
    """The bars that this run measured, and their sum."""
    verdicts = [verdict(bar, results) for bar in bars()]
    shown = [line for line in verdicts if line.ours is not None]
    if not shown:
        return []
    counts = Counter(line.state for line in verdicts)
    total = ", ".join(f"{counts[state]} {state}" for state in (MET, SHORT, SKIPPED, NOT_MEASURED))
    header = ["bar", "ours", "limit", "that is", "verdict"]
    return [table([header, *map(bar_line, shown)]), f"bars: {total}"]


def bar_line(line: Verdict) -> list[str]:
    ours, allowed = readable(line.ours, line.unit), readable(line.allowed, line.unit)
    return [line.bar.name, ours, line.limit, allowed, line.margin]


def table(lines: list[list[str]]) -> str:
    """A header and lines."""
    return tabulate(lines[1:], lines[0], tablefmt="plain", disable_numparse=True)


def readable(amount: float | None, unit: str = SECONDS) -> str:
    """Seconds or bytes with three digits and a unit."""
    if amount is None:
        return "-"
    steps = SCALES[unit]
    size, name = next((step for step in steps if amount >= step[0]), steps[-1])
    return f"{amount / size:.3g} {name}"


def plot(results: Results, path: Path) -> bool:
    """Draw the operations side by side; False without matplotlib or without anything to draw."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot

    points: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for one in results.rows:
        if one.operation in PLOTTED and one.spread == "uniform":
            lines = points.setdefault(one.operation, {})
            lines.setdefault(one.contestant, []).append((one.count, one.least * 1e6))
    drawn = [(name, lines) for name, lines in points.items() if len(lines.get(OURS, [])) > 1]
    if not drawn:
        return False
    names = list(dict.fromkeys(name for _, lines in drawn for name in lines))
    colors = matplotlib.color_sequences["tab20"] * 2
    looks = {name: {"color": color} for name, color in zip(names, colors, strict=False)}
    looks[OURS] = {"color": "black", "lw": 2.6}
    columns = min(5, len(drawn))
    size = {"figsize": (3.4 * columns, 3.2 * -(-len(drawn) // columns)), "layout": "constrained"}
    figure, handles = pyplot.figure(**size), {}
    for place, (operation, lines) in enumerate(drawn, start=1):
        ax = figure.add_subplot(-(-len(drawn) // columns), columns, place)
        for name, line in lines.items():
            [handles[name]] = ax.loglog(*zip(*sorted(line), strict=True), "o-", ms=3, **looks[name])
        ax.set(title=operation, ylabel="microseconds")
        ax.grid(alpha=0.25)
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=5, frameon=False)
    figure.suptitle(f"Time of one operation by number of units, uniform: {machine()['cpu']}")
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    return True
