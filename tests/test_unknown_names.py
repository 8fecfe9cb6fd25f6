"""A rule, a class or a property that fits nothing warns by name, where the game asks for it."""

import warnings

import pytest

from tilequad.nav import BLOCKED, Grid, Rule


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (Rule("ground", BLOCKED, {"solidd": True}), "no property is called 'solidd'.* 'solid'"),
        (Rule("ground", BLOCKED, gids=[999999]), r"Rule\('ground', BLOCKED, gids=\[999999\]\)"),
        (Rule("ground", BLOCKED, class_name="rocck"), "no class is called 'rocck'"),
    ],
)
def test_a_rule_that_fits_nothing_warns(frontier, rule, text):
    with pytest.warns(UserWarning, match=text) as caught:
        Grid.of(frontier, rule)
    assert [warning.filename for warning in caught] == [__file__]


def test_a_class_of_no_object_warns(frontier):
    with pytest.warns(UserWarning, match="called 'raod'; there are: .*'road'") as caught:
        assert frontier.objects(class_name="raod") == []
    assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(UserWarning, match="no property is called 'lockd'"):
        assert frontier.objects({"lockd": True}) == []


def test_a_class_of_no_tile_warns(frontier):
    with pytest.warns(UserWarning, match="called 'tufft'; there are: .*'barrels'") as caught:
        assert len(frontier.gids_with(class_name="tufft")) == 0
    assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(UserWarning, match="no property is called 'sollid'"):
        assert len(frontier.gids_with({"sollid": True})) == 0


def test_gids_are_those_of_the_tiles_that_have_it_all(frontier):
    tiles = [
        (tileset.first_gid + number, tileset.tile_class(number), tileset.tile_properties(number))
        for tileset in frontier.tilesets
        for number in range(1000)
        if tileset.has_tile(number)
    ]
    assert frontier.gids_with().tolist() == [gid for gid, _, _ in tiles]
    solid = [(gid, name) for gid, name, own in tiles if own.get("solid") is True]
    assert frontier.gids_with({"solid": True}).tolist() == [gid for gid, _ in solid]
    deep = frontier.gids_with({"solid": True}, class_name="deep").tolist()
    assert deep == [gid for gid, name in solid if name == "deep"] != []
    with pytest.raises(TypeError, match="properties must be a dict, got 'deep'; write gids_with"):
        frontier.gids_with("deep")


def test_what_fits_is_silent(frontier):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Grid.of(frontier, Rule("ground", BLOCKED, {"solid": True}))
        assert frontier.objects(class_name="road")
        assert frontier.objects(name="nobody") == []
        assert len(frontier.gids_with({"solid": True}, class_name="grass")) == 0
