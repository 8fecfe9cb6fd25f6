"""What a reader gets: tables, the bars, and a plot."""

from __future__ import annotations

from pathlib import Path

from benchmarks.bars import BARS, HELD, judged
from benchmarks.floors import FLOOR, LEAST, WORK
from benchmarks.peers import OURS
from benchmarks.results import BYTES, SECONDS, Results, Row, machine

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
        "Medians; in brackets, how much longer than ours.",
    ]
    for operation, spread in groups(results):
        rows = [row for row in results.rows if (row.operation, row.spread) == (operation, spread)]
        parts.append(f"{operation}, {spread}, per {rows[0].per}\n{comparison(rows)}")
    if results.frames:
        parts.append(frames(results))
    for verb, won in results.crossover.items():
        parts += [f"{verb}: ahead of {name} {since(count)}" for name, count in won.items()]
    parts += [f"skipped: {name}, {why}" for name, why in results.skipped.items()]
    parts += [f"note: {note}" for note in results.notes]
    parts += [bars(results), *floors(results)]
    return "\n\n".join(parts) + "\n"


def groups(results: Results) -> list[tuple[str, str]]:
    """The operations and spreads, each once, in the order of running."""
    return list(dict.fromkeys((row.operation, row.spread) for row in results.rows))


def comparison(rows: list[Row]) -> str:
    """Contestants down, numbers of units across."""
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
    """The frame of a game, as milliseconds."""
    lines = [["a frame of a game, units", "p50", "p99"]]
    for count, times in results.frames.items():
        lines.append([f"{count:,}", f"{times['p50_ms']:.3f} ms", f"{times['p99_ms']:.3f} ms"])
    return table(lines)


def since(count: int | None) -> str:
    return "not up to 1,024 units" if count is None else f"from {count:,} units on"


def bars(results: Results) -> str:
    """The table of bars: met, or short by how much."""
    lines = [["bar", "ours", "allowed", ""]]
    for bar in BARS:
        verdict, ours, allowed = bar.verdict(results)
        lines.append([bar.name, readable(ours, bar.unit), readable(allowed, bar.unit), verdict])
    for name, limit in HELD.items():
        held = results.memory.get(name)
        shown = "-" if held is None else f"{held:.1f} B"
        lines.append([f"memory of {name}", shown, f"{limit} B", judged(held, limit)])
    return table(lines)


def floors(results: Results) -> list[str]:
    """What a call costs at the least, beside the bars that this may put out of reach."""
    lines = [["the least a call can cost, without a tree", "ours", "allowed", "at least", "", ""]]
    for bar in BARS:
        least = results.median(bar.operation, bar.spread, bar.count, FLOOR)
        _, ours, allowed = bar.verdict(results)
        if least and allowed and bar.contestant == OURS and bar.spread == "uniform":
            amounts = [readable(amount) for amount in (ours, allowed, least)]
            operation, contestant = WORK.get(bar.operation, ("", ""))
            work = results.median(operation, bar.spread, bar.count, contestant)
            both = f"{readable(least + work)} with the work" if work else ""
            lines.append([bar.name, *amounts, f"{least / allowed:.0%} of what is allowed", both])
    if len(lines) == 1:
        return []
    notes = [f"{name}: {least}" for name, least in LEAST.items()]
    notes += [f"the work of {name}: {', '.join(work)}" for name, work in WORK.items()]
    return [table(lines), "\n".join(notes)]


def table(lines: list[list[str]]) -> str:
    """Columns as wide as they must be; the first to the left, numbers to the right."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            word.ljust(width) if i == 0 else word.rjust(width)
            for i, (word, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def readable(amount: float | None, unit: str = SECONDS) -> str:
    """Seconds or bytes with three digits and a unit to match."""
    if amount is None:
        return "-"
    size, name = next(
        (scale for scale in SCALES[unit] if amount >= scale[0]),
        SCALES[unit][-1],
    )
    return f"{amount / size:.3g} {name}"


def plot(results: Results, path: Path) -> bool:
    """Draw the operations side by side; False where matplotlib is missing or nothing to draw."""
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
    """One operation: a line for each contestant, both axes logarithmic, ours the thick one."""
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
