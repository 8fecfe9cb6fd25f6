"""Sprites in a tree, the tree overlay, the minimap, and SDL2's renderer."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from tests.draw_faces import visits
from tests.programs import ROOT
from tests.tmx import TILESET, csv_layer, write_map
from tilequad import DynamicQuadtree
from tilequad.ai import separate
from tilequad.bounds import Bounds
from tilequad.nav import Fog, Grid
from tilequad.tiled import TileMap, load_map

pygame = pytest.importorskip("pygame")
from tilequad.draw.pygame import FollowedSprites, MapView, Minimap, TreeOverlay  # noqa: E402

WORLD = (0, 0, 1000, 1000)
GREEN = (0, 255, 0, 255)


class Unit(pygame.sprite.Sprite):
    def __init__(self, x: int, y: int, size: tuple[int, int] = (16, 12), color: int = 0) -> None:
        super().__init__()
        self.image = pygame.Surface(size)
        self.image.fill((color * 40 % 256, color * 90 % 256, 200))
        self.rect = self.image.get_rect(topleft=(x, y))


@pytest.fixture
def followed() -> FollowedSprites:
    """What keeps sprites in a tree, which is empty."""
    return FollowedSprites(DynamicQuadtree(WORLD))


def map_of(folder: Path, side: int = 60) -> TileMap:
    cells = np.random.default_rng(4).integers(1, 5, (side, side)).tolist()
    path = write_map(folder, TILESET, csv_layer("a", cells), size=(side, side))
    return load_map(path, y_up=False)


def test_a_tree_follows_a_group_through_its_life(followed):
    rng, tree, group = Random(7), followed.units, pygame.sprite.Group()
    other = object()
    tree.add(other, 5, 5)  # the tree may hold other units
    pool = [Unit(rng.randint(0, 900), rng.randint(0, 900), color=n) for n in range(80)]
    for _ in range(150):
        for sprite in rng.sample(pool, 10):
            chance = rng.random()
            if chance < 0.3:
                sprite.kill()
            elif chance < 0.6:
                group.add(sprite)
            elif chance < 0.9:
                sprite.rect.move_ip(rng.randint(-30, 30), rng.randint(-30, 30))
            else:
                sprite.rect.size = rng.randint(1, 40), rng.randint(1, 40)
        serials = {unit: tree.serial_many([tree.slot(unit)])[0] for unit in tree}
        stayed = {sprite for sprite in group if sprite in tree}
        followed.sync(group)
        assert set(tree) == {*group, other}
        for sprite in group:
            x, y, width, height = sprite.rect
            assert tree.position(sprite) == (x + width / 2, y + height / 2)
            same = sprite in serials and tree.serial_many([tree.slot(sprite)])[0] == serials[sprite]
            assert same == (sprite in stayed)  # who left and came back is a new unit
        x, y = rng.randint(-50, 900), rng.randint(-50, 900)
        view = x, y, x + rng.randint(1, 500), y + rng.randint(1, 500)
        left, top, right, bottom = view
        wanted = [
            sprite
            for sprite in group.sprites()
            if sprite.rect.left <= right
            and left <= sprite.rect.right
            and sprite.rect.top <= bottom
            and top <= sprite.rect.bottom
        ]
        assert followed.in_view(view) == wanted
    tree.check()


def test_sprites_are_drawn_as_a_group_draws_them(followed):
    rng = Random(3)
    sprites = [Unit(rng.randint(-20, 600), rng.randint(-20, 500), color=n) for n in range(300)]
    group = pygame.sprite.Group(*sprites)
    followed.sync(group)
    ours, theirs = pygame.Surface((320, 240)), pygame.Surface((320, 240))
    followed.draw(ours, (0, 0, 320, 240))
    group.draw(theirs)
    assert ours.get_buffer().raw == theirs.get_buffer().raw
    assert len(followed.in_view((0, 0, 320, 240))) < 200

    ours.fill((0, 0, 0))
    theirs.fill((0, 0, 0))
    followed.draw(ours, (100, 50, 420, 290))
    theirs.blits([(sprite.image, sprite.rect.move(-100, -50)) for sprite in sprites], False)
    assert ours.get_buffer().raw == theirs.get_buffer().raw

    large = pygame.Surface((640, 480))
    followed.draw(large, (100, 50, 420, 290))  # twice as large
    assert pygame.transform.scale2x(ours).get_size() == large.get_size()
    twice = pygame.surfarray.array3d(ours).repeat(2, axis=0).repeat(2, axis=1)
    assert (pygame.surfarray.array3d(large) == twice).all()


@pytest.mark.parametrize("zoom", [0.5, 1, 2])
def test_an_image_larger_than_its_rect_is_drawn_as_large_as_it_is(followed, zoom):
    sprite = Unit(40, 40, (32, 24))
    sprite.rect = pygame.Rect(40, 40, 16, 16)
    followed.sync(pygame.sprite.Group(sprite))
    surface = pygame.Surface((200, 200))
    followed.draw(surface, (0, 0, 200 / zoom, 200 / zoom))
    drawn = pygame.mask.from_threshold(surface, (0, 0, 200), (1, 1, 1)).get_bounding_rects()
    assert drawn == [pygame.Rect(40 * zoom, 40 * zoom, 32 * zoom, 24 * zoom)]


def test_layers_of_a_group_stay_in_order(followed):
    group = pygame.sprite.LayeredUpdates()
    low, high = Unit(10, 10, color=1), Unit(12, 12, color=2)
    group.add(high, layer=1)
    group.add(low, layer=0)
    followed.sync(group)
    assert followed.in_view((0, 0, 50, 50)) == [low, high]
    group.change_layer(low, 2)
    followed.sync(group)
    assert followed.in_view((0, 0, 50, 50)) == [high, low]


def test_several_groups_have_groups_of_the_tree(followed):
    orcs, elves = (pygame.sprite.Group(Unit(10 + n, 10)) for n in range(2))
    followed.sync(orcs, groups=1)
    followed.sync(elves, groups=2)
    assert followed.units.within(0, 0, 100, groups=2) == elves.sprites()
    followed.sync(elves, groups=4)
    assert followed.units.within(0, 0, 100, groups=2) == []
    assert followed.in_view((0, 0, 100, 100)) == [*orcs, *elves]


def test_a_sprite_that_the_game_has_removed_from_the_tree_is_added_again(followed):
    group = pygame.sprite.Group(Unit(10, 10), Unit(50, 50))
    followed.sync(group)
    first = group.sprites()[0]
    followed.units.remove(first)
    followed.units.add("stone", 12, 12)  # takes its slot
    assert followed.in_view((0, 0, 30, 30)) == []
    followed.sync(group)
    assert followed.in_view((0, 0, 30, 30)) == [first]
    assert len(followed.units) == 3


def test_a_call_that_fails_changes_nothing(followed):
    sprite, twin = Unit(10, 10), Unit(30, 30)
    group = pygame.sprite.Group(sprite)
    followed.sync(group)
    other = pygame.sprite.Group(sprite, twin)
    with pytest.raises(ValueError, match=r"already|twice|in the tree"):
        followed.sync(other)
    assert set(followed.units) == {sprite}
    followed.sync(group)


def test_the_overlay_draws_boxes_and_lights_those_asked():
    tree: DynamicQuadtree = DynamicQuadtree((0, 0, 640, 640))
    rng = np.random.default_rng(2)
    tree.add_many(range(200), rng.uniform(0, 640, (200, 2)))
    surface = pygame.Surface((320, 320))
    TreeOverlay().draw(surface, (0, 0, 640, 640), tree.nodes(), color=(255, 0, 0, 255))
    plain = pygame.surfarray.array3d(surface).astype(int)
    assert (plain[:, :, 0] > 0).any()
    assert not plain[:, :, 1:].any()
    root = tree.nodes()[0]
    left, top = round(root["min_x"] / 2), round(root["min_y"] / 2)
    assert plain[left, top, 0] > 200
    for asked in ((100, 100, 140, 140), (120, 120, 20)):
        surface.fill((0, 0, 0))
        view = (0, 0, 640, 640)
        TreeOverlay().draw(surface, view, tree.nodes(), (255, 0, 0, 255), asked=asked, lit=GREEN)
        visited = [node for node in tree.nodes() if visits(asked, node)]
        assert 0 < len(visited) < len(tree.nodes())
        wanted = pygame.Surface((320, 320))
        for node in visited:
            left, top, right, bottom = (round(float(node[name]) / 2) for name in Bounds._fields)
            box = (left, top, right - left + 1, bottom - top + 1)
            pygame.draw.rect(wanted, GREEN, box, 1)
        lit, expected = (pygame.surfarray.array_green(one) > 0 for one in (surface, wanted))
        assert (lit == expected).all()


def test_the_minimap_shows_the_map_the_view_and_units(tmp_path):
    tile_map = map_of(tmp_path)
    minimap = Minimap(MapView(tile_map), 80)
    assert (minimap.width, minimap.height) == (80, 80)
    surface = pygame.Surface((300, 200))
    minimap.draw(surface, 210, 10)
    alone = pygame.surfarray.array3d(surface)
    assert (alone[210:290, 10:90] != (24, 26, 30)).any(axis=2).mean() > 0.95
    assert not alone[:210].any()
    red = (255, 60, 60)
    units = [(100, 900), (960, 0)]
    minimap.draw(surface, 210, 10, bounds=(240, 240, 480, 480), positions=units, colors=red)
    drawn = pygame.surfarray.array3d(surface)
    assert tuple(drawn[210 + 20, 10 + 30]) == (255, 246, 214)  # the left edge of the frame
    x, y = round(100 * 80 / 960), round(900 * 80 / 960)
    assert tuple(drawn[210 + x, 10 + y]) == red
    assert minimap.world_at(40, 40) == (480, 480)
    assert minimap.world_at(-1, 40) is None
    tile_map.layers[0].set_tiles([(c, r) for c in range(60) for r in range(60)], 0)
    minimap.draw(surface, 210, 10)
    assert (pygame.surfarray.array3d(surface)[210:290, 10:90] == (24, 26, 30)).all()


@pytest.mark.parametrize("flags", [0, pygame.SRCALPHA])
@pytest.mark.parametrize("side", [1, 3, 4])
def test_dots_of_a_minimap_are_squares_later_ones_on_top(tmp_path, side, flags):
    rng = np.random.default_rng(side)
    minimap = Minimap(MapView(map_of(tmp_path)), 80)
    found, wanted = (pygame.Surface((80, 80), flags, 32) for _ in range(2))
    units = rng.uniform(-30, 990, (300, 2))
    colors = rng.integers(0, 256, (300, 3))
    minimap.draw(found, 0, 0, positions=units, colors=colors, dot=side)
    minimap.draw(wanted, 0, 0)
    for (x, y), color in zip(units * 80 / 960, colors.tolist(), strict=True):
        corner = [int(np.floor(place - side / 2 + 0.5)) for place in (x, y)]
        wanted.fill(color, (*corner, side, side))
    assert found.get_buffer().raw == wanted.get_buffer().raw


@pytest.mark.parametrize("dot", [2.5, 2.6, 0.4, 0])
def test_dots_of_a_minimap_are_rounded_to_whole_pixels(tmp_path, dot):
    minimap = Minimap(MapView(map_of(tmp_path)), 80)
    for colors in ((255, 0, 0), (255, 0, 0, 90)):
        found, wanted = pygame.Surface((80, 80)), pygame.Surface((80, 80))
        minimap.draw(found, 0, 0, positions=[(100, 900)], colors=colors, dot=dot)
        minimap.draw(wanted, 0, 0, positions=[(100, 900)], colors=colors, dot=int(dot + 0.5))
        assert found.get_buffer().raw == wanted.get_buffer().raw


def test_a_minimap_shows_layers_where_they_lie_in_the_world(tmp_path):
    """As that of arcade: their parallax depends on the camera, and there is none."""
    cells = np.zeros((32, 32), int)
    cells[:8, 24:] = 2
    path = write_map(
        tmp_path, TILESET, csv_layer("far", cells.tolist(), 'parallaxx="0.5"'), size=(32, 32)
    )
    tile_map, surface = load_map(path, y_up=False), pygame.Surface((64, 64))
    Minimap(MapView(tile_map), 64, background=(0, 0, 0)).draw(surface, 0, 0)
    shown = pygame.surfarray.array3d(surface).any(axis=2)
    assert shown[49:, 1:15].mean() > 0.9
    shown[48:, :16] = False
    assert not shown.any()


def test_a_minimap_grows_with_its_map():
    tile_map = TileMap.new(8, 8, (16, 16), infinite=True, y_up=False)
    tile_map.add_tileset(ROOT / "maps" / "terrain.png")
    layer = tile_map.add_tile_layer("a", np.full((16, 16), 3))
    fog = Fog(Grid(np.ones((16, 64), bool), cell_size=16))
    map_view = MapView(tile_map)
    minimaps = [Minimap(map_view, 80), Minimap(map_view, 80, fog=fog)]
    for minimap in minimaps:
        minimap.draw(pygame.Surface((80, 80)), 0, 0)
        assert (minimap.width, minimap.height) == (80, 80)
    layer.set_tiles([(column, row) for column in range(16, 64) for row in range(16)], 5)
    for minimap, of_fog in zip(minimaps, (None, fog), strict=True):
        surface, other = pygame.Surface((80, 80)), pygame.Surface((80, 80))
        minimap.draw(surface, 0, 0, positions=[(1000, 100)])
        fresh = Minimap(map_view, 80, fog=of_fog)
        fresh.draw(other, 0, 0, positions=[(1000, 100)])
        assert (minimap.width, minimap.height) == (fresh.width, fresh.height) == (80, 20)
        assert surface.get_buffer().raw == other.get_buffer().raw
        assert minimap.world_at(80, 20) == (1024, 256)


@pytest.fixture
def renderer(monkeypatch):
    """A renderer of a window that no screen shows."""
    video = pytest.importorskip("pygame._sdl2.video")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_RENDER_DRIVER", "software")
    pygame.display.quit()
    pygame.display.init()
    window = video.Window("test", size=(200, 150))
    yield video.Renderer(window)
    window.destroy()
    pygame.display.quit()


def apart(renderer, map_view, view) -> np.ndarray:
    """How far what a renderer shows of a view is from what a surface shows."""
    surface = pygame.Surface((200, 150))
    surface.fill((20, 40, 60))
    renderer.draw_color = (20, 40, 60, 255)
    renderer.clear()
    pictures = []
    for target in (renderer, surface):
        map_view.draw(target, view)
        shown = target.to_surface() if target is renderer else target
        pictures.append(pygame.surfarray.array3d(shown).astype(int))
    return abs(np.subtract(*pictures))


def test_a_renderer_draws_what_a_surface_shows(tmp_path, renderer):
    tile_map = map_of(tmp_path)
    map_view = MapView(tile_map)
    for zoom in (1, 0.5, 0.37, 2, 3.3):
        view = (100, 120, 100 + 200 / zoom, 120 + 150 / zoom)
        for _ in range(2):
            differing = apart(renderer, map_view, view).max(axis=2) > 3
            assert differing.mean() < (0.01 if zoom in (1, 0.5, 2) else 0.2)
            tile_map.layers[0].set_tile(8, 9, 1)
            tile_map.layers[0].clear_tile(9, 9)


@pytest.mark.parametrize("mode", ["multiply", "add"])
def test_a_renderer_multiplies_and_adds(tmp_path, renderer, mode):
    low = csv_layer("low", [[4] * 20] * 20)
    high = csv_layer("high", [[2, 0] * 10] * 20, f'parallaxx="0.5" mode="{mode}" opacity="0.5"')
    tile_map = load_map(write_map(tmp_path, TILESET, low, high, size=(20, 20)), y_up=False)
    assert apart(renderer, MapView(tile_map), (20, 20, 220, 170)).max() <= 3


def crowd(kind: type, count: int = 30) -> list[Unit]:
    """Units in a heap, with rects of a kind."""
    rng = Random(3)
    found = [Unit(rng.randint(100, 140), rng.randint(100, 140)) for _ in range(count)]
    for unit in found:
        unit.rect = kind(unit.rect)
    return found


@pytest.mark.parametrize("kind", [pygame.Rect, getattr(pygame, "FRect", pygame.Rect)])
def test_sprites_go_where_their_units_were_pushed(followed, kind):
    tree, group = followed.units, pygame.sprite.Group(crowd(kind))
    tree.add("a stone", 120, 120, radius=9)  # in no group
    followed.sync(group)
    heap = len(tree.pairs())
    for tick in range(40):
        separate(tree)
        followed.pull()
        places = {sprite: tree.position(sprite) for sprite in group}
        for sprite, (x, y) in places.items():
            assert abs(sprite.rect.x + sprite.rect.width / 2 - x) <= 0.5 + 1e-4
            assert abs(sprite.rect.y + sprite.rect.height / 2 - y) <= 0.5 + 1e-4
        followed.sync(group)
        assert {sprite: tree.position(sprite) for sprite in group} == places
        walker = group.sprites()[tick % 30]
        walker.rect.x += 2
        if tick == 20:
            group.add(Unit(400, 400))
            group.sprites()[5].kill()
        followed.sync(group)
        x, y = places[walker]
        assert tree.position(walker) == (pytest.approx(x + 2, abs=1e-4), pytest.approx(y, abs=1e-4))
        same = [sprite for sprite in group if sprite is not walker and sprite in places]
        assert [tree.position(one) for one in same] == [places[one] for one in same]
    assert len(tree.pairs()) < heap / 5  # they have parted, in the end by parts of a pixel


def test_pushes_of_less_than_a_pixel_add_up(followed):
    tree, sprite = followed.units, Unit(100, 100)
    group = pygame.sprite.Group(sprite)
    followed.sync(group)
    for _ in range(10):
        x, y = tree.position(sprite)
        tree.move(sprite, x + 0.3, y)
        followed.pull()
        sprite.rect.y += 1
        followed.sync(group)
    assert sprite.rect.topleft == (103, 110)
    assert tree.position(sprite) == (pytest.approx(111), 116)


def test_units_return_to_sprites_that_stand_still(followed):
    sprites = [Unit(10, 10), Unit(14, 10)]
    group = pygame.sprite.Group(*sprites)
    followed.sync(group)
    places = [followed.units.position(sprite) for sprite in sprites]
    separate(followed.units)
    followed.sync(group)  # without `pull`
    assert [followed.units.position(sprite) for sprite in sprites] == places


def test_pulled_sprites_may_be_gone_or_stay(followed):
    tree, sprites = followed.units, crowd(pygame.Rect, 3)
    group = pygame.sprite.Group(sprites)
    followed.pull()  # nothing is followed yet
    followed.sync(group)
    first, second, third = sprites
    before = [sprite.rect.copy() for sprite in sprites]
    tree.remove(first)
    tree.move(second, 500, 500)
    third.kill()
    followed.pull()
    assert first.rect == before[0]
    assert second.rect.center == (500, 500)
    assert third.rect == before[2]


def test_what_cannot_be_followed_is_named(followed):
    for wrong in (3, [Unit(0, 0)], Unit(0, 0)):
        with pytest.raises(TypeError, match="sprites must be a AbstractGroup, got"):
            followed.sync(wrong)
    bare = pygame.sprite.Sprite()
    with pytest.raises(
        TypeError, match=r"each sprite must have a rect, but that of <Sprite.* None"
    ):
        followed.sync(pygame.sprite.Group(bare))
    with pytest.raises(TypeError, match="groups"):
        followed.sync(pygame.sprite.Group(Unit(0, 0)), groups=2.5)
    assert len(followed.units) == 0
