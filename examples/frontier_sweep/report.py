"""What a sweep has found: a table by setting, CSV files and a plot."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from math import fsum, sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

from frontier_game.play import write_whole

from .journal import Journal
from .plan import Plan, Variant

CONFIDENCE = 0.95
LINES = 8  # lines in a plot that can still be told apart
TICKS = 10  # values of a setting that have room below a plot
Row = dict[str, Any]


def wilson(won: int, played: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return Wilson's interval for a rate: where the true one lies, with this confidence.

    Unlike the plain one it stays between 0 and 1, and says something of 0 wins in 10 games.
    Without a game it is all from 0 to 1.
    """
    if not played:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate, share = won / played, z * z / played
    middle = (rate + share / 2) / (1 + share)
    half = z * sqrt(rate * (1 - rate) / played + share / (4 * played)) / (1 + share)
    return max(0.0, middle - half), min(1.0, middle + half)


def game_rows(journal: Journal) -> list[Row]:
    """A row for each game that was played, in the order of the plan."""
    rows = []
    for variant, seed in journal.plan.games:
        outcome = journal.outcomes.get((variant, seed))
        if outcome is not None:
            row = {"variant": variant, **_settings(journal.plan.variants[variant]), "seed": seed}
            rows.append(row | _flat(outcome.get("result", {})) | _error(outcome))
    return rows


def table_rows(journal: Journal) -> list[Row]:
    """A row for each variant of the settings: how often the village won, and the means.

    It depends on the results alone: not on the engine, on the number of workers, or on what came
    first.
    """
    by_variant: dict[int, list[Row]] = {row: [] for row in range(len(journal.plan.variants))}
    for row in game_rows(journal):
        by_variant[row["variant"]].append(row)
    table = []
    for variant, rows in by_variant.items():
        ended = [row for row in rows if "winner" in row]
        won = sum(row["winner"] == "village" for row in ended)
        low, high = wilson(won, len(ended))
        counts = {"games": len(ended), "failed": len(rows) - len(ended), "won": won}
        rates = {"win_rate": won / len(ended) if ended else None, "low": low, "high": high}
        means = {
            f"mean_{name}": fsum(row[name] for row in ended) / len(ended)
            for name in _measured(ended)
        }
        table.append(_settings(journal.plan.variants[variant]) | counts | rates | means)
    return table


def as_text(table: Sequence[Row]) -> str:
    """Return the table for a terminal: the settings, and how often the village won."""
    columns = [name for name in table[0] if not name.startswith("mean_")]
    lines = [columns, *([_shown(row.get(name)) for name in columns] for row in table)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def write(journal: Journal, folder: Path) -> None:
    """Write `games.csv`, a line for each game, and `table.csv`, one for each setting."""
    for name, rows in (("games.csv", game_rows(journal)), ("table.csv", table_rows(journal))):
        write_whole(folder / name, _csv(rows))


def plot(plan: Plan, table: Sequence[Row], path: Path) -> None:
    """Draw the win rate by setting, with its interval.

    Raises:
        ModuleNotFoundError: Matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    varied = [name for name in _names(plan) if len({str(row[name]) for row in table}) > 1]
    varied = varied or _names(plan)[:1] or ["variant"]
    table = [{"variant": number, **row} for number, row in enumerate(table) if row["games"]]
    lines = list(_lines(table, varied))
    joined = len(lines) <= LINES and (len(lines) < len(table) or len(varied) == 1)
    panels = [(varied[0], lines)] if joined else [(one, [("", table)]) for one in varied]
    figure = Figure(figsize=(4.2 * len(panels) + 1.6, 4.4), layout="constrained")
    all_axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, (name, drawn) in zip(all_axes, panels, strict=True):
        for label, rows in drawn:
            places = [_place(row[name]) for row in rows]
            rates = [row["win_rate"] for row in rows]
            # Rounding may put an end of the interval on the wrong side by a last bit.
            errors = [
                [max(0.0, row["win_rate"] - row["low"]) for row in rows],
                [max(0.0, row["high"] - row["win_rate"]) for row in rows],
            ]
            style = "o-" if joined else "o"
            axes.errorbar(places, rates, errors, fmt=style, capsize=3, label=label)
        axes.set(xlabel=name, ylim=(-0.03, 1.03))
        ticks = {row[name] for row in table}
        if len(ticks) <= TICKS and all(isinstance(tick, int | float) for tick in ticks):
            axes.set_xticks(sorted(ticks))
        axes.grid(alpha=0.3)
        if any(label for label, _ in drawn):
            axes.legend()
    figure.axes[0].set_ylabel(f"games that the village wins, {CONFIDENCE:.0%} interval")
    drawing = io.BytesIO()
    figure.savefig(drawing, format="png", dpi=120)
    write_whole(path, drawing.getvalue())


def _lines(table: Sequence[Row], varied: Sequence[str]) -> Iterator[tuple[str, list[Row]]]:
    """The rows of each line of a plot: all that differ in the first setting alone."""
    first, *others = varied
    for key in dict.fromkeys(tuple(str(row[name]) for name in others) for row in table):
        rows = [row for row in table if tuple(str(row[name]) for name in others) == key]
        label = ", ".join(f"{name} {value}" for name, value in zip(others, key, strict=True))
        yield label, sorted(rows, key=lambda row: _sortable(row[first]))


def _names(plan: Plan) -> list[str]:
    return list(dict.fromkeys(name for variant in plan.variants for name in variant))


def _settings(variant: Variant) -> Row:
    return {name: _joined(value) for name, value in variant.items()}


def _joined(value: Any) -> Any:
    return "/".join(map(str, value)) if isinstance(value, tuple | list) else value


def _place(value: Any) -> Any:
    return value if isinstance(value, int | float) else str(value)


def _sortable(value: Any) -> tuple[float, str]:
    return (value, "") if isinstance(value, int | float) else (0.0, str(value))


def _flat(result: Row) -> Row:
    """A result in one row: a column for each resource, and the last digest."""
    flat: Row = {}
    for name, value in result.items():
        if isinstance(value, dict):
            flat |= {f"{name}_{key}": one for key, one in value.items()}
        elif name == "digests":
            flat["digest"] = value[-1] if value else ""
        elif name != "seed":
            flat[name] = value
    return flat


def _error(outcome: Row) -> Row:
    return {"error": outcome["error"]} if "error" in outcome else {}


def _measured(rows: Sequence[Row]) -> list[str]:
    """The columns of numbers that the games give, without their settings and seeds."""
    if not rows:
        return []
    names = list(rows[0])
    return [
        name for name in names[names.index("seed") + 1 :] if isinstance(rows[0][name], int | float)
    ]


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _csv(rows: Iterable[Row]) -> bytes:
    rows = list(rows)
    file = io.StringIO(newline="")
    columns = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(file, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()
