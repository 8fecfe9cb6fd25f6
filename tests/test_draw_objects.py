"""Shapes and text of object layers as Pillow draws them, after Tiled's example."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from tests.tmx import write_map
from tilequad.draw.pillow import canvas, fonts, masks, render
from tilequad.draw.pillow.fonts import find_font
from tilequad.draw.pillow.masks import masks_of
from tilequad.draw.pillow.shapes import Shape
from tilequad.draw.pillow.text_layout import EM, Line, lay_out
from tilequad.tiled import TileMap, load_map
from tilequad.tiled.model.map_object import Text

Pixels = NDArray[np.int64]

RED, BLACK, EMPTY = [255, 0, 0, 255], [0, 0, 0, 255], [0, 0, 0, 0]
FILL = [255, 0, 0, 50]


def object_map(
    folder: Path, objects: str, style: str = "", attributes: str = "", y_up: bool = True
) -> TileMap:
    """A map of an object layer whose shapes are red."""
    layer = f'<objectgroup name="o" color="#ff0000" {style}>{objects}</objectgroup>'
    return load_map(write_map(folder, layer, size=(8, 6), attributes=attributes), y_up=y_up)


def draw(folder: Path, objects: str, style: str = "", attributes: str = "") -> Pixels:
    """The picture of such a map, (height, width, 4)."""
    return np.asarray(render(object_map(folder, objects, style, attributes))).astype(int)


def has_ink(pixels: Pixels) -> NDArray[np.bool_]:
    ink: NDArray[np.bool_] = pixels[:, :, 3] > 100
    return ink


def box_of(pixels: Pixels) -> tuple[int, int, int, int]:
    """The box around what is drawn: left, top, right, bottom."""
    rows, columns = np.nonzero(has_ink(pixels))
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def test_a_rectangle_has_an_outline_a_fill_and_a_shadow(tmp_path):
    pixels = draw(tmp_path, '<object id="1" x="20" y="10" width="40" height="20"/>')
    assert pixels[20, 40].tolist() == FILL
    assert pixels[20, [18, 19, 20, 59, 60, 61, 62]].tolist() == [
        *(EMPTY, RED, RED, RED, RED, BLACK, EMPTY)
    ]
    assert pixels[[8, 9, 10, 29, 30, 31, 32], 40].tolist() == [
        *(EMPTY, RED, RED, RED, RED, BLACK, EMPTY)
    ]


@pytest.mark.parametrize("shape", ["", "<ellipse/>"])
def test_an_object_without_a_size_is_marked_around_its_position(tmp_path, shape):
    pixels = draw(tmp_path, f'<object id="1" x="40" y="50">{shape}</object>')
    assert box_of(pixels) == (29, 39, 52, 62)  # 20 x 20, its line and its shadow
    assert pixels[50, 40].tolist() == FILL


def test_an_isometric_rectangle_without_a_size_is_not_drawn(tmp_path):
    pixels = draw(tmp_path, '<object id="1" x="40" y="50"/>', attributes='orientation="isometric"')
    assert not pixels.any()


def test_a_point_is_a_pin_whose_tip_is_at_its_position(tmp_path):
    pixels = draw(tmp_path, '<object id="1" x="40" y="50"><point/></object>')
    left, top, right, bottom = box_of(pixels)
    assert (left, top) == (29, 19)
    assert (right, bottom) == (52, 52)
    assert pixels[30, 40].tolist() == RED  # the dot in its head
    assert pixels[36, 40].tolist() == FILL
    assert pixels[48, 40].tolist() == RED


def test_a_polygon_begins_with_a_dot(tmp_path):
    corners = '<polygon points="0,0 40,0 40,40"/>'
    pixels = draw(tmp_path, f'<object id="1" x="40" y="30">{corners}</object>')
    assert pixels[28:32, 38:42].reshape(-1, 4).tolist() == [RED] * 16
    assert pixels[40, 70].tolist() == FILL


def test_a_line_is_smooth(tmp_path):
    line = '<polyline points="0,0 60,20"/>'
    pixels = draw(tmp_path, f'<object id="1" x="30" y="30">{line}</object>')
    reds = pixels[:, 60][pixels[:, 60, 0] > 0]
    assert {tuple(color) for color in reds.tolist()} > {tuple(RED)}


def random_shape(rng: np.random.Generator) -> Shape:
    """Open and closed lines, of whole and broken pixels, some of them beyond the picture."""
    points = rng.uniform(-40, 160, (int(rng.integers(1, 9)), 2))
    if rng.random() < 0.5:
        points = points.round()
    dots = tuple(
        ((float(x), float(y)), float(rng.choice([2.5, 4.0]))) for x, y in points[: rng.integers(3)]
    )
    lines = [points, points[::-1]][: int(rng.integers(1, 3))]
    return Shape(lines, points if rng.random() < 0.7 else None, dots)


@pytest.mark.parametrize("held", [1, 5000, 1 << 20])
def test_shapes_look_the_same_alone_and_among_others(monkeypatch, held):
    monkeypatch.setattr(masks, "_MASKS", held)
    monkeypatch.setattr(masks, "_MAX_CORNERS", 12)  # longer lines are thin
    rng = np.random.default_rng(held)
    shapes = [random_shape(rng) for _ in range(150)]
    together = list(masks_of(shapes, (120, 90), lambda cost: None))
    assert None in together
    for shape, mask in zip(shapes, together, strict=True):
        [alone] = masks_of([shape], (120, 90), lambda cost: None)
        assert (mask is None) == (alone is None)
        if mask is None or alone is None:
            continue
        assert mask.corner == alone.corner
        assert np.array_equal(np.asarray(mask.lines), np.asarray(alone.lines))
        assert (mask.fill is None) == (alone.fill is None)
        assert mask.fill is None or np.array_equal(np.asarray(mask.fill), np.asarray(alone.fill))


def test_the_lines_and_edges_of_shapes_cost_more_than_their_area():
    def cost(shape: Shape) -> int:
        spent: list[int] = []
        assert len(list(masks_of([shape], (120, 90), spent.append))) == 1
        return sum(spent)

    few, many = (np.array([(10.0, 10.0), (90.0, 80.0)] * count) for count in (10, 500))
    assert cost(Shape([many])) > 40 * cost(Shape([few])) > 40 * 19 * 80  # at least one per pixel
    thin = np.concatenate([many] * 3)
    assert cost(Shape([thin])) > 2998 * 80
    for points in (few, thin):  # each edge crosses 70 rows
        crossed = 70 * len(points)
        assert cost(Shape([points], points)) - cost(Shape([points])) == 16 * crossed


def test_a_fill_holds_the_pixels_whose_center_is_inside():
    rng = np.random.default_rng(5)
    polygons = [rng.uniform(-40, 160, (int(rng.integers(1, 9)), 2)) for _ in range(60)]
    shapes = [Shape([points], points) for points in polygons]
    ys, xs = np.mgrid[0:90, 0:120] + 0.5
    for shape, mask in zip(shapes, masks_of(shapes, (120, 90), lambda cost: None), strict=True):
        inside = np.zeros((90, 120), bool)
        points = shape.lines[0]
        for (x0, y0), (x1, y1) in zip(points, np.roll(points, -1, axis=0), strict=True):
            if y0 != y1:
                crosses = (y0 <= ys) != (y1 <= ys)
                inside ^= crosses & (xs >= x0 + (ys - y0) * (x1 - x0) / (y1 - y0))
        picture = Image.new("L", (120, 90))
        if mask is not None and mask.fill is not None:
            picture.paste(mask.fill, mask.corner)
        assert np.array_equal(np.asarray(picture) > 0, inside)


def test_large_masks_are_stained_in_bands(tmp_path, monkeypatch):
    objects = '<object id="1" x="9" y="5" width="80" height="60" rotation="9"><ellipse/></object>'
    whole = draw(tmp_path, objects, 'opacity="0.7"')
    monkeypatch.setattr(canvas, "_STAIN", 200)
    assert np.array_equal(draw(tmp_path, objects, 'opacity="0.7"'), whole)


def test_a_tint_colors_neither_shapes_nor_text(tmp_path):
    objects = (
        '<object id="1" x="20" y="10" width="40" height="20"/>'
        '<object id="2" x="20" y="40" width="90" height="40"><text pixelsize="30" '
        'color="#00ff00">WWW</text></object>'
    )
    plain = draw(tmp_path, objects)
    assert np.array_equal(draw(tmp_path, objects, 'tintcolor="#4010ff20"'), plain)
    faded = draw(tmp_path, objects, 'tintcolor="#4010ff20" opacity="0.5"')
    assert faded[20, 19].tolist() == [255, 0, 0, 128]


def words(folder: Path, style: str, text: str = "Wijde", rotation: int = 0) -> Pixels:
    return draw(
        folder,
        f'<object id="1" x="60" y="40" width="60" height="30" rotation="{rotation}">'
        f'<text pixelsize="20" {style}>{text}</text></object>',
    )


def test_text_is_turned_about_its_corner(tmp_path):
    upright = words(tmp_path, "")
    left, top, right, bottom = box_of(upright)
    assert left >= 60
    assert top >= 40
    turned = words(tmp_path, "", rotation=180)
    assert (
        np.abs(np.array(box_of(turned)) - (120 - right, 80 - bottom, 120 - left, 80 - top)).max()
        <= 2
    )
    quarter = box_of(words(tmp_path, "", rotation=90))
    assert np.abs(np.array(quarter) - (100 - bottom, left - 20, 100 - top, right - 20)).max() <= 2


def test_text_is_cut_off_at_its_box(tmp_path):
    pixels = words(tmp_path, 'wrap="1"', "many many many words and more of them")
    left, top, right, bottom = box_of(pixels)
    assert 60 <= left < right <= 120
    assert 40 <= top < bottom <= 70


def test_lines_under_and_through_text_are_drawn(tmp_path):
    plain = has_ink(words(tmp_path, "", "i i"))
    under = has_ink(words(tmp_path, 'underline="1"', "i i"))
    through = has_ink(words(tmp_path, 'strikeout="1"', "i i"))
    row_under, row_through = ((more & ~plain).sum(axis=1).argmax() for more in (under, through))
    assert under[row_under].sum() > plain[row_under].sum()
    assert row_under > np.nonzero(plain.any(axis=1))[0].max()
    assert row_through < row_under


FAMILIES = ("DejaVu Sans", "Liberation Sans", "Arial")
INSTALLED = [
    name
    for name in FAMILIES
    if isinstance(found := find_font(name, 16).font, ImageFont.FreeTypeFont)
    and found.getname()[0] == name
]


@pytest.mark.skipif(not INSTALLED, reason="needs fontconfig and a font of four faces")
def test_family_bold_and_italic_choose_the_face(tmp_path):
    family = INSTALLED[0]
    plain, bold, italic = (
        has_ink(words(tmp_path, f'fontfamily="{family}" {style}'))
        for style in ("", 'bold="1"', 'italic="1"')
    )
    assert bold.sum() > plain.sum() * 1.15
    assert not np.array_equal(italic, plain)
    assert not np.array_equal(italic, bold)
    face, lacks_bold = find_font(family, 20, bold=True)
    assert not lacks_bold
    assert isinstance(face, ImageFont.FreeTypeFont)
    assert face.getname()[0] == find_font(family, 20).font.getname()[0]


@pytest.mark.parametrize(
    "family", ["No Such Font", "", "-v", "a:file=/etc/passwd", "é" * 3000, "\0"]
)
def test_a_family_that_is_not_installed_is_replaced(family):
    assert find_font(family, 16).font.getlength("words") > 0


@pytest.fixture
def fontconfig(monkeypatch):
    """What fontconfig was asked, and answers."""
    asked, answers = [], {}
    monkeypatch.setattr(fonts, "_ask", lambda name: (asked.append(name), answers.get(name, ""))[1])
    fonts._face.cache_clear()
    yield asked, answers
    fonts._face.cache_clear()


def test_without_fontconfig_the_font_of_pillow_is_used(fontconfig):
    assert find_font("DejaVu Sans", 16).font.getlength("words") > 0
    assert fontconfig[0] == ["DejaVu Sans:weight=80:slant=0"]


def test_fontconfig_is_asked_for_the_regular_or_the_bold_face(fontconfig):
    asked, answers = fontconfig
    find_font("sans", 16)
    find_font("sans", 20)
    find_font("sans", 16, bold=True)
    find_font("sans", 16, italic=True)
    patterns = [f"sans:{style}" for style in ("weight=80:slant=0", "weight=200:slant=0")]
    assert asked == [*patterns, "sans:weight=80:slant=100"]
    answers["x:weight=200:slant=100"] = "200\t0\t/no/such/file.ttf"
    assert find_font("x", 16, bold=True, italic=True).lacks_bold  # Pillow's font instead


def test_the_name_of_a_family_cannot_change_the_question(fontconfig):
    asked, _ = fontconfig
    find_font("a:file=/etc/passwd,b-c\\", 16)
    assert asked == [r"a\:file=/etc/passwd\,b\-c\\:weight=80:slant=0"]


def strokes(folder: Path, monkeypatch: pytest.MonkeyPatch, style: str) -> list[tuple[float, str]]:
    """The words written at once for a text, and the x at which they begin."""
    written = []
    write = ImageDraw.ImageDraw.text

    def noted(pen: ImageDraw.ImageDraw, xy: tuple[float, float], text: str, **how: Any) -> None:
        written.append((xy[0], text))
        write(pen, xy, text, **how)

    with monkeypatch.context() as patch:
        patch.setattr(ImageDraw.ImageDraw, "text", noted)
        words(folder, style, "AVA")
    return written


def test_without_kerning_each_letter_takes_its_own_width(tmp_path, monkeypatch):
    font = find_font("sans-serif", EM).font
    assert strokes(tmp_path, monkeypatch, "") == [(0, "AVA")]
    a, v = font.getlength("A") * (20 / EM), font.getlength("V") * (20 / EM)
    assert strokes(tmp_path, monkeypatch, 'kerning="0"') == [(0, "A"), (a, "V"), (a + v, "A")]
    [first, *_] = strokes(tmp_path, monkeypatch, 'kerning="0" halign="right"')
    assert first == (60 - 2 * a - v, "A")


def test_where_a_family_has_no_bold_face_letters_are_struck_twice(
    tmp_path, monkeypatch, fontconfig
):
    assert fontconfig == ([], {})
    assert strokes(tmp_path, monkeypatch, 'bold="1"') == [(0, "AVA"), (20 * (1 / 24), "AVA")]
    assert strokes(tmp_path, monkeypatch, "") == [(0, "AVA")]
    bold, plain = words(tmp_path, 'bold="1"'), words(tmp_path, "")
    assert has_ink(bold).sum() > has_ink(plain).sum() * 1.1


def test_a_shape_of_very_many_corners_is_drawn_with_thin_lines(tmp_path):
    corners = " ".join(f"{number % 2 * 100},{number / 100}" for number in range(5000))
    pixels = draw(tmp_path, f'<object id="1" x="10" y="10"><polyline points="{corners}"/></object>')
    assert pixels[20, 60].tolist() == RED


def test_a_picture_of_objects_is_the_same_drawn_in_parts(tmp_path):
    """Nothing is lost where an outline, a shadow or a pin crosses the edge of a view."""
    objects = (
        '<object id="1" x="64" y="48"/><object id="2" x="62" y="90"><point/></object>'
        '<object id="3" x="20" y="47" width="43" height="3"/>'
        '<object id="4" x="64" y="20"><polygon points="0,0 40,3 40,40"/></object>'
    )
    tile_map = object_map(tmp_path, objects)
    whole = render(tile_map)
    parts = Image.new("RGBA", whole.size)
    for left in (0, 64):
        for top in (0, 48):
            part = render(tile_map, (left, 48 - top, left + 64, 96 - top))
            parts.paste(part, (left, top))
    assert np.array_equal(np.asarray(parts), np.asarray(whole))


@pytest.mark.parametrize("scale", [0.5, 1, 4])
def test_a_pin_shows_where_its_point_is_out_of_view(tmp_path, scale):
    tile_map = object_map(tmp_path, '<object id="1" x="40" y="60"><point/></object>', y_up=False)
    whole = render(tile_map, scale=scale)
    upper = render(tile_map, (0, 0, 128, 44), scale)  # the point is 16 units farther down
    assert np.array_equal(np.asarray(upper), np.asarray(whole.crop((0, 0, *upper.size))))
    assert upper.getbbox() is not None


def laid_out(words: str, size: tuple[float, float], **style: Any) -> list[Line]:
    """The lines of words in the font that Pillow ships, 16 pixels high."""
    text = Text(words, wrap=style.pop("wrap", True), **style)
    return lay_out(text, words, size, ImageFont.load_default(EM), 16)


def letters(lines: list[Line]) -> list[str]:
    return ["".join(run.letters for run in line.runs) for line in lines]


def test_lines_end_between_words_and_within_a_word_that_is_too_wide():
    assert letters(laid_out("and the wolf", (60, 200))) == ["and the", "wolf"]
    assert letters(laid_out("DRAGONTAIL and", (60, 200))) == ["DRAGO", "NTAIL", "and"]
    assert letters(laid_out("a DRAGONTAIL", (60, 200))) == ["a", "DRAGO", "NTAIL"]
    assert letters(laid_out("gate-keeper 3-4", (60, 200))) == ["gate-", "keeper", "3-4"]
    assert letters(laid_out("WW \nW", (5, 200))) == ["W", "W", "W"]
    assert letters(laid_out("gate-keeper one\ntwo", (60, 200), wrap=False)) == [
        "gate-keeper one",
        "two",
    ]
    four = laid_out("竹取の翁", (200, 200))[0].length
    assert letters(laid_out("竹取の翁。", (four, 200))) == ["竹取の", "翁。"]


def test_lines_end_where_the_box_is_full_before_they_are_aligned():
    lines = laid_out("a b c d e", (10, 50), vertical="bottom")
    assert letters(lines) == ["a", "b", "c"]
    [height] = {next.baseline - line.baseline for line, next in pairwise(lines)}
    assert lines[-1].baseline < 50 < lines[-1].baseline + height
    top = laid_out("a b c d e", (10, 50))
    assert letters(top) == ["a", "b", "c"]
    middle = laid_out("a b c d e", (10, 50), vertical="center")
    assert middle[0].baseline == (top[0].baseline + lines[0].baseline) / 2


def test_justified_lines_fill_the_width_but_for_the_last_of_a_paragraph():
    first, second, last = laid_out("a b c wolves wolf\nx", (90, 200), horizontal="justify")
    assert letters([first, second, last]) == ["abcwolves", "wolf", "x"]
    assert first.length == 90
    plain = laid_out("a b c wolves wolf\nx", (90, 200))
    gaps = {
        round(mine.left - their.left, 6)
        for mine, their in zip(first.runs, plain[0].runs, strict=True)
    }
    assert len(gaps) == 4
    assert min(gaps) == 0
    assert (second.length, last.length) == (plain[1].length, plain[2].length)


def test_a_justified_line_of_one_word_spreads_its_letters():
    first, *_ = laid_out("DRAGONTAIL", (60, 200), horizontal="justify")
    assert [run.letters for run in first.runs] == list("DRAGO")
    steps = [after.left - run.left for run, after in pairwise(first.runs)]
    plain = laid_out("DRAGONTAIL", (60, 200), kerning=False)[0]
    widths = [after.left - run.left for run, after in pairwise(plain.runs)]
    [gap] = {round(step - width, 6) for step, width in zip(steps, widths, strict=True)}
    assert gap * 4 == pytest.approx(60 - plain.length)


def test_lines_are_the_same_at_every_scale(tmp_path):
    objects = (
        '<object id="1" x="5" y="5" width="99" height="70"><text pixelsize="13" wrap="1">'
        "many words and more of them, extraordinarily many</text></object>"
    )
    tile_map = object_map(tmp_path, objects)
    small, large = (
        np.asarray(render(tile_map, scale=scale).getchannel("A")) > 40 for scale in (1, 4)
    )
    rows = [np.flatnonzero(ink.any(axis=1)) for ink in (small, large)]
    assert abs(rows[0].min() * 4 - rows[1].min()) <= 4
    assert abs(rows[0].max() * 4 - rows[1].max()) <= 5
    lines = [np.count_nonzero(np.diff(each) > 1) for each in rows]
    assert lines[0] <= lines[1] <= 5
