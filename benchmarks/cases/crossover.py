"""The number of units from which on a tree is worth having.

Few units need no index: a loop over a list is as fast. The rivals here are what a game has without
one, and what it has from pygame, pymunk or arcade. In the frame every unit moves by a call of its
own and then asks who is in range, so a tree pays for its upkeep too.
"""

from benchmarks.armies import Army
from benchmarks.cases.changes import ways_of
from benchmarks.cases.queries import asking
from benchmarks.peers import ArcadeHash, Index, NumpyScan, PygameRects, Pymunk, PythonScan, Tilequad
from benchmarks.plan import OURS, Plan, Race, Races, Runner
from benchmarks.timing import QUICK, race

SIZES = (2, 5, 10, 20, 50, 100, 200, 500, 1_000)
RIVALS = (Tilequad, PythonScan, NumpyScan, PygameRects, Pymunk, ArcadeHash)


def races(plan: Plan) -> Races:
    """For each verb and rival, the least of `SIZES` from which on ours is the faster; no rows."""
    for verb in ("radius", "nearest", "box", "frame"):
        times = {count: duel(plan, verb, Army("uniform", count)) for count in SIZES}
        won: dict[str, int | None] = {}
        plan.results.crossover[verb] = won
        for rival in times[SIZES[0]]:
            lost = [size for size in SIZES if times[size][OURS] >= times[size][rival]]
            ahead = (size for size in SIZES if size > max(lost, default=0))
            won[rival] = next(ahead, None)
        del won[OURS]
    yield from ()


def duel(plan: Plan, verb: str, army: Army) -> dict[str, float]:
    """Seconds of a small army's question, for ours and for each rival that has the verb."""
    arguments = {"radius": (army.radius,), "box": (army.box_side / 2,)}.get(verb, ())
    runners: dict[str, Runner] = {}
    for index in plan.indexes(army, RIVALS):
        if verb == "frame":
            runners[index.name] = frame(army, index)
        elif hasattr(index, verb):
            runners[index.name] = asking(getattr(index, verb), army.queries, *arguments)
    found = race(Race(verb, army.spread, army.count, runners), QUICK, {})
    return {name: min(seconds) for name, seconds in found.items()}


def frame(army: Army, index: Index) -> Runner:
    """Every unit moves, there or back, then asks who is in range."""
    steps = [(way, [move[3:] for move in way]) for way in ways_of(army, army.items, army.count)]

    def run() -> None:
        steps.reverse()
        moves, places = steps[1]
        index.move(moves)
        index.radius(places, army.radius)

    return run
