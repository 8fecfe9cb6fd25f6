"""What trees of other leaf sizes cost: the curve behind the default."""

from benchmarks.armies import Army
from benchmarks.cases.changes import MOVES, ways_of
from benchmarks.cases.queries import CHUNK, answers, asking
from benchmarks.peers import Tilequad, TilequadStatic
from benchmarks.plan import Plan, Race, Races, check, in_turn

LEAF_SIZES = (4, 8, 16, 32, 48, 64, 128, 256)


def races(plan: Plan) -> Races:
    """Each leaf size is a contestant; every one must give the same answers."""
    for army in (Army("uniform", count) for count in plan.sizes if 1_000 <= count <= 100_000):
        for name, kind, verb, *arguments in (
            ("within", Tilequad, "radius", army.radius),
            ("nearest", Tilequad, "nearest"),
            ("move", Tilequad, "move"),
            ("static query", TilequadStatic, "box", army.box_side / 2),
        ):
            indexes = {f"leaf_size {size}": kind(army, leaf_size=size) for size in LEAF_SIZES}
            if verb == "move":
                ways = ways_of(army, army.items[:MOVES])
                runners = {who: in_turn(index.move, ways) for who, index in indexes.items()}
            else:
                found = [answers(army, index, verb, *arguments) for index in indexes.values()]
                check(all(one == found[0] for one in found), f"{name} depends on the leaf size")
                runners = {
                    who: asking(getattr(index, verb), army.queries, *arguments)
                    for who, index in indexes.items()
                }
            yield Race(f"leaf size, {name}", army.spread, army.count, runners, "call", CHUNK)
