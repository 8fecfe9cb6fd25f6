"""Sentries in a walled yard: a thief sneaks across, and walls hide it from some of them.

Prints who sees the thief and when, and draws the yard with the views of the sentries with Pillow:
    python examples/sentries.py yard.png
"""

import sys
from itertools import pairwise

from tilequad import DynamicQuadtree
from tilequad.ai import RangeEvents
from tilequad.nav import Grid, LineOfSight

SENTRY, THIEF = 1, 2
TILE, VIEW = 16, 160
PLAN = [
    "#########################",
    "#.......#.......#.......#",
    "#.......#.......#.......#",
    "#..s....#.......#....s..#",
    "#.......#.......#.......#",
    "#...............#.......#",
    "#.......#...............#",
    "#.......#.......#.......#",
    "####.#######.########.###",
    "#.......#.......#.......#",
    "#.......#...s...........#",
    "#...............#.......#",
    "#########################",
]


def middle(column: int, row: int) -> tuple[float, float]:
    """The middle of a cell of the plan; y points up."""
    return yard.center(yard.cell(column, row))


yard = Grid([[letter != "#" for letter in row] for row in PLAN], cell_size=TILE)
sight = LineOfSight(yard)
units = DynamicQuadtree(yard.bounds)
events = RangeEvents(units, groups=THIEF, sight=sight)
cells = [(column, row, kind) for row, line in enumerate(PLAN) for column, kind in enumerate(line)]
for column, row, kind in cells:
    if kind == "s":
        sentry = f"sentry at {column}, {row}"
        units.add(sentry, *middle(column, row), groups=SENTRY)
        events.follow(sentry, VIEW)

path = [middle(*cell) for cell in ((4, 11), (4, 9), (4, 5), (12, 5), (14, 6), (20, 6), (20, 11))]
units.add("thief", *path[0], groups=THIEF)
tick = 0
for (x0, y0), (x1, y1) in pairwise(path):
    for step in range(40):
        units.move("thief", x0 + (x1 - x0) * step / 40, y0 + (y1 - y0) * step / 40)
        for zone, entered, _ in events.update():
            print(f"tick {tick:3}: {zone.item} {'sees the thief' if entered else 'lost it'}")
        tick += 1


def draw(path_of_image: str) -> None:
    """The yard, what each sentry sees, and the way of the thief."""
    from PIL import Image, ImageDraw

    width, height = TILE * yard.columns, TILE * yard.rows
    image = Image.new("RGB", (width, height), "#303848")
    canvas = ImageDraw.Draw(image, "RGBA")

    def point(x: float, y: float) -> tuple[float, float]:
        return x, height - y

    for zone in events:
        outline = sight.polygon(*units.position(zone.item), VIEW)
        canvas.polygon([point(x, y) for x, y in outline.tolist()], fill="#ffe08060")
    for min_x, min_y, max_x, max_y in yard.boxes(yard.query(yard.bounds)).tolist():
        canvas.rectangle((*point(min_x, max_y), *point(max_x, min_y)), fill="#8090a0")
    canvas.line([point(x, y) for x, y in path], fill="#e05050", width=2)
    for zone in events:
        x, y = point(*units.position(zone.item))
        canvas.ellipse((x - 4, y - 4, x + 4, y + 4), fill="#60c0ff")
    image.save(path_of_image)


if len(sys.argv) > 1:
    draw(sys.argv[1])
