"""Attributes that compiled code trusts: read-only, or checked when they are set."""

import subprocess
import sys

import pytest

from tests.attribute_swaps import World
from tilequad import DynamicQuadtree
from tilequad.ai import Damage, RangeEvents, Targeting
from tilequad.nav import Grid

READ_ONLY = {
    "grid": ["columns", "rows", "orientation", "diagonal", "first_cell", "bounds", "revision"],
    "field": ["grid", "max_distance", "goals", "revision"],
    "paths": ["grid"],
    "fog": ["grid", "units", "revision"],
    "influence": ["grid", "units", "radius", "groups", "without", "revision"],
    "sight": ["team"],
    "viewer": ["item", "position", "team", "radius", "radius_in_cells", "over_walls"],
    "events": ["units"],
    "zone": ["item", "position", "radius", "leave_radius", "groups", "without", "number"],
    "claims": ["units", "taken"],
    "goals": ["units", "goals", "claims"],
    "damage": ["units"],
    "shots": ["units", "damage", "numbers", "xy", "directions", "left"],
    "aim": ["units"],
}


@pytest.mark.parametrize(
    ("name", "attribute"), [(name, one) for name, own in READ_ONLY.items() for one in own]
)
def test_read_only(name, attribute):
    thing = getattr(World(), name)
    before = getattr(thing, attribute)
    with pytest.raises(AttributeError):
        setattr(thing, attribute, Grid([[1]]))
    assert str(getattr(thing, attribute)) == str(before)


@pytest.mark.slow
def test_no_wrong_value_of_any_attribute_ends_the_interpreter():
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.attribute_swaps"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    taken = {name.partition(" ")[0] for name in ran.stdout.splitlines()}
    settable = {name.partition(".")[0] for name in taken}
    assert settable == {"Targeting", "RangeEvents", "Damage", "Lead", "Fog", "InfluenceMap"}
    assert {name for name in taken if name.startswith("Fog")} == {
        "Fog.HIDDEN",
        "Fog.EXPLORED",
        "Fog.VISIBLE",
    }


def test_what_may_be_set_is_checked():
    units, others = (DynamicQuadtree((0, 0, 9, 9)) for _ in range(2))
    events, aim = RangeEvents(units), Targeting(units, max_distance=5)
    damage = Damage(units, len)
    for thing, name, wrong in (
        (events, "sight", 7),
        (aim, "sight", 7),
        (aim, "damage", 7),
        (damage, "health", 7),
    ):
        with pytest.raises(TypeError, match=name):
            setattr(thing, name, wrong)
    with pytest.raises(ValueError, match="damage must be about the same tree"):
        aim.damage = Damage(others, len)
    aim.damage = damage
    assert aim.damage is damage
