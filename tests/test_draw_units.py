"""Standing layers, marks of units, followed sprites, the minimap and lit nodes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.draw_faces import visits
from tests.drawing import (
    BACKGROUND,
    EVERYWHERE,
    Pixels,
    animation,
    arcade,
    as_in_pillow,
    noisy_tileset,
    on_background,
    random_cells,
    screen,
    write_window_map,
)
from tests.programs import ROOT
from tests.tmx import csv_layer
from tilequad.ai import separate
from tilequad.draw.arcade import (
    FollowedSprites,
    MapView,
    Minimap,
    SpriteBatch,
    StandingLayers,
    TreeOverlay,
    visible_bounds,
)
from tilequad.draw.overlays import boxes_of, visited_by
from tilequad.draw.pillow import render
from tilequad.quadtree import DynamicQuadtree
from tilequad.tiled import TileMap, load_map

pytestmark = pytest.mark.gl

RED, BLUE = (255, 0, 0, 255), (0, 0, 255, 255)


def tall_map(
    folder: Path, *more: str, trees: list[list[int]] | None = None, elements: str = ""
) -> TileMap:
    trees = random_cells(4, 1, 16, empty=0.7) if trees is None else trees
    tall = noisy_tileset(folder, "tall", 1, (16, 40), elements)
    layer = csv_layer("trees", trees, 'opacity="0.9"')
    return load_map(write_window_map(folder, tall, layer, *more))


def square(side: int, color: tuple[int, int, int, int]) -> arcade.Texture:
    return arcade.make_soft_square_texture(side, color, 255, 255)


def drawn(window: arcade.Window, draw: Callable[..., object], *args: Any, **options: Any) -> Pixels:
    """What a call draws on the background."""
    window.clear(color=BACKGROUND)
    draw(*args, **options)
    return screen(window)


@pytest.fixture
def batch(window):
    """A batch for units and marks; each unit is a red square."""
    return SpriteBatch([square(20, RED)])


# -- standing --


@pytest.mark.parametrize("tint", [None, (255, 128, 64), (128, 32, 96, 144), (255, 255, 255, 99)])
def test_standing_layers_without_units_look_as_in_pillow(window, tmp_path, batch, tint):
    things = "".join(
        f'<object id="{n}" gid="{n}" x="{20 * n}" y="{15 * n}" width="16" height="40"/>'
        for n in range(1, 15)
    )
    tile_map = tall_map(tmp_path, f'<objectgroup name="things">{things}</objectgroup>')
    for layer in tile_map.layers:
        layer.tint = tint
        found = drawn(window, StandingLayers(tile_map, [layer], batch).draw, EVERYWHERE)
        expected = as_in_pillow(window, tile_map, layers=[layer])
        assert abs(found - expected).max() <= 4, layer.name


def test_markers_of_missing_images_are_drawn_for_the_size_of_an_object(window, tmp_path, batch):
    sizes = (40, 30), (16, 16), (70, 12), (40, 30)
    things = "".join(
        f'<object id="{n}" gid="1" x="{30 + 50 * n}" y="{60 + 20 * n}" '
        f'width="{wide}" height="{high}"/>'
        for n, (wide, high) in enumerate(sizes, 1)
    )
    tall_map(tmp_path, f'<objectgroup name="things">{things}</objectgroup>')
    (tmp_path / "tall.png").unlink()
    tile_map = load_map(tmp_path / "map.tmx")
    layer = tile_map.layer("things")
    found = drawn(window, StandingLayers(tile_map, [layer], batch).draw, EVERYWHERE)
    assert abs(found - as_in_pillow(window, tile_map, layers=[layer])).max() <= 4


def test_units_and_tiles_cover_each_other_by_their_feet(window, tmp_path):
    one = [[0] * 20] * 7 + [[0] * 5 + [3] + [0] * 14] + [[0] * 20] * 7
    tile_map = tall_map(tmp_path, trees=one)
    [box] = tile_map.layer("trees").boxes(tile_map.layer("trees").ids()).tolist()
    standing = StandingLayers(tile_map, tile_map.layers, SpriteBatch([square(10, RED)]), feet=2)
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    pictures = {}
    for name, foot in (("in front", box[1] - 1), ("behind", box[1] + 5)):
        picture = drawn(window, standing.draw, EVERYWHERE, [(x, y)], feet=[foot])
        pictures[name] = picture[240 - int(y) - 4 : 240 - int(y) + 4, int(x) - 4 : int(x) + 4]
    assert (pictures["in front"] == RED[:3]).all()
    assert not (pictures["behind"] == RED[:3]).all()


def test_standing_layers_follow_changes_and_time(window, tmp_path, batch):
    frames = animation(0, (5, 100), (1, 50))
    tile_map = tall_map(tmp_path, trees=random_cells(4, 1, 3, empty=0.7), elements=frames)
    layer = tile_map.layer("trees")
    standing = StandingLayers(tile_map, [layer], batch)
    rng = np.random.default_rng(2)
    for time in (0, 99, 100, 151):
        standing.set_time(time)
        layer.set_tile(*rng.integers(0, 15, 2).tolist(), int(rng.integers(1, 17)))
        layer.clear_tile(*rng.integers(0, 15, 2).tolist())
        found = drawn(window, standing.draw, EVERYWHERE)
        assert abs(found - as_in_pillow(window, tile_map, time=time)).max() <= 4


def test_standing_layers_ask_once_while_nothing_changes(tmp_path, batch, monkeypatch):
    tile_map = tall_map(tmp_path)
    layer, asked = tile_map.layer("trees"), []
    standing = StandingLayers(tile_map, [layer], batch)
    query = layer.query
    monkeypatch.setattr(layer, "query", lambda view: asked.append(view) or query(view))
    for _ in range(3):
        standing.draw((0, 0, 100, 100))
    assert len(asked) == 1
    standing.draw((0, 0, 101, 100))
    layer.set_tile(3, 3, 2)
    standing.draw((0, 0, 101, 100))
    assert len(asked) == 3


def test_an_image_layer_cannot_stand(tmp_path, batch):
    tile_map = tall_map(tmp_path, '<imagelayer name="sky"/>')
    with pytest.raises(TypeError, match="sky"):
        StandingLayers(tile_map, tile_map.layers, batch)


def test_a_layer_that_is_removed_stands_no_more(window, tmp_path, batch):
    tile_map = tall_map(tmp_path)
    layer = tile_map.layer("trees")
    standing = StandingLayers(tile_map, [layer], batch)
    assert drawn(window, standing.draw, EVERYWHERE).std() > 1
    tile_map.remove_layer(layer)
    assert (drawn(window, standing.draw, EVERYWHERE) == BACKGROUND[:3]).all()


# -- marks --


def marked(window: arcade.Window) -> Pixels:
    """What is drawn, the lowest row first."""
    return np.flipud(screen(window))


def test_a_flash_turns_a_unit_white(window, batch):
    window.clear(color=BACKGROUND)
    batch.draw([(50, 50), (100, 50), (150, 50)], flash=[0, 0.5, 1])
    pixels = marked(window)
    assert pixels[50, 50].tolist() == [255, 0, 0]
    assert abs(pixels[50, 100] - (255, 128, 128)).max() <= 2
    assert pixels[50, 150].tolist() == [255, 255, 255]


def test_bars_show_shares(window, batch):
    window.clear(color=BACKGROUND)
    batch.draw_bars([(50, 50), (50, 100)], [0.25, 1], widths=42, height=8, colors=BLUE)
    pixels = marked(window)
    filled = [(pixels[row] == BLUE[:3]).all(axis=1).sum() for row in (50, 100)]
    assert abs(filled[0] - 10) <= 1
    assert abs(filled[1] - 40) <= 1
    assert (pixels[46:54, 29:71] != BACKGROUND[:3]).any(axis=2).all()
    assert (pixels[60:90] == BACKGROUND[:3]).all()


@pytest.mark.parametrize("zoom", [0.5, 1, 2])
def test_rings_are_thin_at_every_zoom(window, batch, zoom):
    window.clear(color=BACKGROUND)
    with arcade.Camera2D(position=(0, 0), zoom=zoom).activate():
        batch.draw_rings([(0, 0)], 40, colors=BLUE, flatness=0.75)
    row = marked(window)[120]
    drawn = np.flatnonzero((row != BACKGROUND[:3]).any(axis=1))
    assert drawn.min() == pytest.approx(160 - 40 * zoom, abs=2.5)
    assert drawn.max() == pytest.approx(160 + 40 * zoom, abs=2.5)
    assert 2 <= len(drawn) <= 8


def test_shadows_darken_softly(window, batch):
    window.clear(color=(200, 200, 200, 255))
    batch.draw_shadows([(160, 120)], [40])
    pixels = marked(window)
    middle, edge, outside = (pixels[120, 160 + away, 0] for away in (0, 32, 45))
    assert middle < edge < outside == 200
    assert pixels[120 + 22, 160, 0] == 200  # half as high as wide


def test_marks_of_no_units_draw_nothing(window, batch):
    window.clear(color=BACKGROUND)
    batch.draw_shadows(np.empty((0, 2)), 3)
    batch.draw_bars(np.empty((0, 2)), 1)
    batch.draw(np.empty((0, 2)), [], sizes=np.empty((0, 2)))
    assert (screen(window) == BACKGROUND[:3]).all()


# -- followed sprites --


def test_followed_sprites_draw_as_the_list_does(window):
    rng = np.random.default_rng(6)
    textures = [square(12, RED), square(20, BLUE)]
    sprites: arcade.SpriteList = arcade.SpriteList()
    sprites.extend(
        arcade.Sprite(textures[n % 2], center_x=x, center_y=y, angle=n * 7)
        for n, (x, y) in enumerate(rng.uniform(-400, 800, (300, 2)).tolist())
    )
    followed = FollowedSprites(DynamicQuadtree((-400, -400, 800, 800)))
    camera = arcade.Camera2D()
    for number in range(8):
        for sprite in list(sprites)[::3]:
            sprite.position = tuple(rng.uniform(-400, 800, 2).tolist())
        if number % 3 == 1:
            sprites.remove(sprites[int(rng.integers(len(sprites)))])
            sprites.append(arcade.Sprite(textures[0], center_x=100, center_y=100))
        if number == 5:
            sprites.sort(key=lambda sprite: sprite.center_y)
        followed.sync(sprites)
        assert set(followed.units) == set(sprites)
        box = visible_bounds(camera)
        shown = followed.in_view(box)
        assert shown == [s for s in sprites if s in set(followed.units.query(box))]
        assert 0 < len(shown) < len(sprites) / 3
        with camera.activate():
            ours, theirs = drawn(window, followed.draw, box), drawn(window, sprites.draw)
        assert np.array_equal(ours, theirs)
    near = followed.units.within(100, 100, 150)
    brute = [s for s in sprites if np.hypot(s.center_x - 100, s.center_y - 100) <= 150]
    assert set(near) == set(brute)


def test_an_empty_list_of_sprites_draws_nothing(window):
    sprites: arcade.SpriteList = arcade.SpriteList()
    followed = FollowedSprites(DynamicQuadtree((0, 0, 100, 100)))

    def lit(bounds: tuple[int, ...]) -> bool:
        window.clear(color=(0, 0, 0, 255))
        with arcade.Camera2D(position=(50, 50)).activate():
            followed.draw(bounds)
        return bool(screen(window).any())

    followed.sync(sprites)
    assert not lit((0, 0, 100, 100))
    sprites.append(arcade.Sprite(square(12, RED), center_x=50, center_y=50))
    followed.sync(sprites)
    assert lit((0, 0, 100, 100))
    assert not lit((60, 60, 100, 100))
    sprites.clear()
    followed.sync(sprites)
    assert not lit((0, 0, 100, 100))
    assert len(followed.units) == 0


def test_several_lists_share_a_tree(window):
    orcs, elves = (arcade.SpriteList() for _ in range(2))
    for number in range(5):
        orcs.append(arcade.Sprite(square(12, RED), center_x=20 * number, center_y=10))
        elves.append(arcade.Sprite(square(12, BLUE), center_x=20 * number, center_y=50))
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 100, 100))
    units.add("stone", 5, 5)
    followed = FollowedSprites(units)
    followed.sync(orcs, groups=1)
    followed.sync(elves, groups=2)
    assert set(units) == {"stone", *orcs, *elves}
    assert set(units.within(40, 30, 100, groups=2)) == set(elves)
    followed.sync(elves, groups=4)
    assert units.within(40, 30, 100, groups=2) == []
    everywhere = -100, -100, 200, 200
    assert followed.in_view(everywhere) == [*orcs, *elves]
    assert followed.nbytes > 0
    first = orcs[0]
    units.remove(first)  # by the game itself
    assert followed.in_view(everywhere) == [*orcs[1:], *elves]
    followed.sync(orcs)
    assert followed.in_view(everywhere) == [*orcs, *elves]
    mixed: arcade.SpriteList = arcade.SpriteList()
    mixed.extend([arcade.Sprite(square(12, RED)), elves[0]])
    before = list(units)
    with pytest.raises(ValueError, match=r"already|twice|in the tree"):
        followed.sync(mixed)
    assert list(units) == before


def test_sprites_go_where_their_units_were_pushed(window):
    rng = np.random.default_rng(8)
    sprites: arcade.SpriteList = arcade.SpriteList()
    for x, y in rng.uniform(100, 140, (30, 2)).tolist():
        sprites.append(arcade.Sprite(square(12, RED), center_x=x, center_y=y))
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 400, 400))
    units.add("a stone", 120, 120, radius=9)
    followed = FollowedSprites(units)
    followed.sync(sprites)
    stays = sprites[0].position
    for _ in range(20):
        separate(units)
        followed.pull()
        for sprite in sprites:
            assert sprite.position == units.position(sprite)
        sprites[3].center_x += 1.5
        expected = sprites[3].position
        followed.sync(sprites)
        assert units.position(sprites[3]) == expected
    assert sprites[0].position != stays
    gone = sprites[1]
    units.remove(gone)
    before = gone.position
    units.move(sprites[2], 7, 9)
    followed.pull()
    assert (gone.position, sprites[2].position) == (before, (7, 9))


# -- minimap --


def test_a_minimap_shows_the_map_and_dots(window, tmp_path):
    tile_map = tall_map(tmp_path)
    minimap = Minimap(MapView(tile_map), size=100, background=BACKGROUND[:3])
    assert (minimap.width, minimap.height) == (100, 75)
    window.clear(color=(0, 0, 0, 255))
    minimap.draw(20, 30)
    pixels = marked(window)
    assert not pixels[:30].any()
    assert not pixels[:, :20].any()
    expected = on_background(render(tile_map, (0, 0, 320, 240), 100 / 320))
    seen = np.flipud(pixels[30:105, 20:120])
    assert abs(seen - expected).mean() < 12
    minimap.draw(20, 30, (160, 120, 320, 240), [(160, 120), (9999, 0)], colors=BLUE)
    pixels = marked(window)
    assert (pixels == BLUE[:3]).all(axis=2).sum() in range(4, 17)
    assert (pixels[60:105, 119] == (255, 246, 214)).all(axis=1).sum() > 30  # the frame


def test_a_minimap_follows_the_map(window, tmp_path):
    tile_map = tall_map(tmp_path)
    map_view = MapView(tile_map)
    minimap = Minimap(map_view, size=100)
    pictures = []
    for change in (
        lambda: None,
        lambda: tile_map.layer("trees").set_tiles(np.argwhere(np.ones((15, 15))), 3),
        lambda: setattr(tile_map.layer("trees"), "visible", False),
    ):
        change()
        minimap.draw(0, 0)
        pictures.append(screen(window))
    assert not np.array_equal(pictures[0], pictures[1])
    assert not np.array_equal(pictures[1], pictures[2])
    assert minimap.world_at(50, 37.5) == pytest.approx((160, 120))
    assert minimap.world_at(101, 3) is None


def test_a_minimap_grows_with_its_map(window):
    tile_map = TileMap.new(8, 8, (16, 16), infinite=True)
    tile_map.add_tileset(ROOT / "maps" / "terrain.png")
    layer = tile_map.add_tile_layer("a", np.full((16, 16), 3))
    map_view = MapView(tile_map)
    minimap = Minimap(map_view, 80)
    minimap.draw(0, 0)
    assert (minimap.width, minimap.height) == (80, 80)
    layer.set_tiles([(column, row) for column in range(16, 64) for row in range(16)], 5)
    pictures = []
    for one in (minimap, Minimap(map_view, 80)):
        pictures.append(drawn(window, one.draw, 0, 0, positions=[(1000, -100)]))
        assert (one.width, one.height) == (80, 20)
        assert one.world_at(80, 0) == (1024, -128)
    assert np.array_equal(*pictures)


# -- lit nodes --


@pytest.mark.parametrize("asked", [(100, 100, 140, 130), (120, 110, 40)])
def test_the_nodes_that_a_question_visits_are_lit(window, asked):
    rng = np.random.default_rng(4)
    units: DynamicQuadtree[int] = DynamicQuadtree((0, 0, 320, 240))
    units.add_many(range(600), rng.uniform(0, 240, (600, 2)))
    nodes = units.nodes()
    visited = visited_by(boxes_of(nodes), asked)
    assert visited.tolist() == [visits(asked, node) for node in nodes]
    assert 0 < visited.sum() < len(nodes)
    window.clear(color=(0, 0, 0, 255))
    with arcade.Camera2D(position=(120, 110), zoom=2).activate():
        TreeOverlay().draw(nodes, (0, 0, 255, 255), asked=asked, lit=(255, 0, 0, 255))
    pixels = screen(window)
    assert pixels[:, :, 0].max() > 30
    assert pixels[:, :, 2].max() > 30
