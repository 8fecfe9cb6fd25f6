"""The printed report: tables, the bars, and a plot."""

from collections import Counter
from pathlib import Path

from tabulate import tabulate

from benchmarks.bars import MET, NOT_MEASURED, SHORT, SKIPPED, bars, verdict
from benchmarks.plan import OURS
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
    races: dict[str, list[Row]] = {}
    for one in results.rows:
        if not one.frames:
            per = f", per {one.per}" if one.per else ""
            races.setdefault(f"{one.operation}, {one.spread}{per}", []).append(one)
    parts += [f"{title}\n{comparison(rows)}" for title, rows in races.items()]
    lines = []
    for one in (one for one in results.rows if one.frames):
        cells = [*map(readable, (one.mean, one.p99, one.worst)), str(one.samples)]
        lines.append([f"{one.operation}, {one.spread}, {one.count:,}", one.contestant, *cells])
    if lines:
        found = table(["", "", "mean", "p99", "worst", "of"], lines)
        parts.append(f"Each call timed alone: what a player sees.\n{found}")
    won = results.crossover.values()
    if won:
        lines = [
            [rival, *(str(of_verb.get(rival, "-") or "never") for of_verb in won)]
            for rival in dict.fromkeys(name for of_verb in won for name in of_verb)
        ]
        parts.append(table(["ahead from this many units on", *results.crossover], lines))
    parts += [f"skipped: {name}, {why}" for name, why in results.skipped.items()]
    parts += [f"note: {note}" for note in results.notes]
    return "\n\n".join([*parts, *judged(results)]) + "\n"


def comparison(rows: list[Row]) -> str:
    """A contestant a line, a number of units a column."""
    counts = sorted({one.count for one in rows})
    cells: dict[str, dict[int, str]] = {}
    ours = {one.count: one.least for one in rows if one.contestant == OURS}
    for one in rows:
        mine = ours.get(one.count)
        ratio = f" ({one.least / mine:.3g}x)" if mine and one.contestant != OURS else ""
        cells.setdefault(one.contestant, {})[one.count] = readable(one.least, one.unit) + ratio
    lines = [[name, *(mine.get(count, "-") for count in counts)] for name, mine in cells.items()]
    return table(["", *(f"{count:,}" for count in counts)], lines)


def judged(results: Results) -> list[str]:
    """The bars that this run measured, and their sum."""
    verdicts = [verdict(bar, results) for bar in bars()]
    lines = []
    for one in verdicts:
        if one.ours is not None:
            ours, allowed = readable(one.ours, one.unit), readable(one.allowed, one.unit)
            lines.append([one.bar.name, ours, one.bar.words, allowed, one.margin])
    if not lines:
        return []
    counts = Counter(one.state for one in verdicts)
    total = ", ".join(f"{counts[state]} {state}" for state in (MET, SHORT, SKIPPED, NOT_MEASURED))
    return [table(["bar", "ours", "limit", "that is", "verdict"], lines), f"bars: {total}"]


def table(header: list[str], lines: list[list[str]]) -> str:
    return tabulate(lines, header, tablefmt="plain", disable_numparse=True)


def readable(amount: float | None, unit: str = SECONDS) -> str:
    """Seconds or bytes with three digits and a unit."""
    if amount is None:
        return "-"
    steps = SCALES[unit]
    size, name = next((step for step in steps if amount >= step[0]), steps[-1])
    return f"{amount / size:.3g} {name}"


def plot(results: Results, path: Path) -> None:
    """Draw some operations side by side, if they were timed."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = [one for one in results.rows if one.operation in PLOTTED and one.spread == "uniform"]
    if not rows:
        return
    names = dict.fromkeys(one.contestant for one in rows)
    colors = dict(zip(names, matplotlib.color_sequences["tab20"] * 2, strict=False))
    colors[OURS] = "black"
    figure, axes = pyplot.subplots(2, 5, figsize=(17, 7), layout="constrained")
    handles = {}
    operations = dict.fromkeys(one.operation for one in rows)
    for ax, operation in zip(axes.flat, operations, strict=False):
        lines: dict[str, list[tuple[int, float]]] = {}
        for one in (one for one in rows if one.operation == operation):
            lines.setdefault(one.contestant, []).append((one.count, one.least * 1e6))
        for name, line in lines.items():
            look = {"color": colors[name], "lw": 2.6 if name == OURS else 1.5, "ms": 3}
            [handles[name]] = ax.loglog(*zip(*line, strict=True), "o-", **look)
        ax.set(title=operation, ylabel="microseconds")
        ax.grid(alpha=0.25)
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=5, frameon=False)
    figure.suptitle(f"Time of one operation by number of units, uniform: {machine()['cpu']}")
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
