"""What the interpreter shows of trees, maps, layers and selections: one short line each."""

from tests import tmx
from tilequad import DynamicQuadtree, StaticQuadtree, load_map
from tilequad.ai import March
from tilequad.nav import Grid, Walls
from tilequad.quadtree import Contacts

TYPES = (
    '<tileset firstgid="1" name="tiles" tilewidth="16" tileheight="16" tilecount="4" columns="2">'
    '<image source="tiles.png" width="32" height="32"/>'
    '<tile id="1" type="wall"><properties>'
    '<property name="solid" type="bool" value="true"/></properties></tile></tileset>'
)


def test_trees_show_how_much_they_hold():
    units = DynamicQuadtree((0, -0.5, 8192, 1234567))
    assert repr(units) == "<DynamicQuadtree of 0 units in (0, -0.5, 8192, 1234567)>"
    units.add_many(range(1200), [(number, 5) for number in range(1200)], radius=0.4)
    units.move(1, 0, 5)
    assert repr(units) == "<DynamicQuadtree of 1,200 units in (0, -0.5, 8192, 1234567)>"

    contacts = Contacts(units)
    contacts.update()
    assert repr(contacts) == f"<Contacts of {units!r}: 1 touching>"

    units.remove_many(range(1, 1200))
    assert repr(units) == "<DynamicQuadtree of 1 unit in (0, -0.5, 8192, 1234567)>"

    tree = StaticQuadtree([(x, 0, x + 1, 1) for x in range(1500)])
    assert repr(tree) == "<StaticQuadtree of 1,500 boxes>"
    assert repr(Walls(tree)) == "<Walls of <StaticQuadtree of 1,500 boxes>>"


def test_a_march_shows_how_many_have_orders():
    grid = Grid([[True] * 4] * 4, cell_size=10)
    units = DynamicQuadtree(grid.bounds)
    slots = units.add_many(range(3), [(5, 5), (15, 5), (25, 5)], radius=2)
    march = March(units, grid)
    march.send(slots[:2], (35, 35))
    assert repr(march) == f"<March of 2 of {units!r}>"


def test_a_subclass_shows_its_own_name():
    class Army(DynamicQuadtree):
        pass

    assert repr(Army((0, 0, 1, 1))) == "<Army of 0 units in (0, 0, 1, 1)>"


def test_maps_layers_and_selections_show_what_they_hold(tmp_path):
    path = tmx.write_map(
        tmp_path,
        TYPES,
        tmx.csv_layer("land", [[1, 2, 2, 0], [0] * 4, [0] * 4]),
        '<objectgroup name="places"><object id="1" class="door"/></objectgroup>',
        '<imagelayer name="sky"/>',
    )
    tile_map = load_map(path)
    land, places, sky = tile_map.layers

    assert repr(tile_map) == (
        f"<TileMap {str(path)!r}: orthogonal, 4 x 3 cells of 16 x 16 pixels, 3 layers>"
    )
    assert repr(land) == "<TileLayer 'land': 3 tiles>"
    assert repr(places) == "<ObjectLayer 'places': 1 object>"
    assert repr(sky) == "<ImageLayer 'sky': 0 images>"
    assert repr(land.select()) == f"<TileSelection all: 3 of {land!r}>"
    assert repr(land.select({"solid": True}, class_name="wall")) == (
        f"<TileSelection {{'solid': True}}, class_name='wall': 2 of {land!r}>"
    )
    assert repr(places.select(class_name="door")) == "<Selection: 1 object>"
