"""Fogs, fields and influence maps as soft layers over the world: one value for each cell.

The values lie in a texture, one texel a cell. Each pixel of the screen blends the values of the
cells around it as `tilequad.draw.cells` does. So the cost of a frame depends on the screen alone,
and only values that have changed are uploaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from arcade.gl import Texture2D
from numpy.typing import NDArray

from tilequad.draw.arcade.screen import Screen
from tilequad.draw.arcade.shaders import InWindow, blending, draw_quad, program_of, texture_of
from tilequad.draw.overlays import CellOverlay, CellsOfField, CellsOfFog, CellsOfInfluence

if TYPE_CHECKING:
    from tilequad.nav import CellFrame

__all__ = [
    "FieldOverlay",
    "FogOverlay",
    "InfluenceOverlay",
    "Settings",
    "TexelOverlay",
]

VERTEX = """#version 330
uniform vec4 corners;  // the cell coordinates of two corners of the screen
uniform vec4 sides;    // of the others
out vec2 v_place;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
    v_place = corners.xy + corner.x * sides.xy + corner.y * sides.zw;
}
"""

# `form`: 0 lattice, 1 diamonds in lines, 2 hexagons. `blended` returns the value at a pixel. In a
# lattice the GPU's own filter blends it; else four cells are found, and their weights.
BLENDED = """
uniform sampler2D cells;  // with a border one cell wide
uniform ivec4 grid;       // columns, rows, form, 1 where even lines are shifted
uniform ivec3 base;       // added to cell coordinates; and whether lines are columns
uniform vec2 edge;        // how wide edges are, in cells; where three hexagons meet
in vec2 v_place;
out vec4 f_color;

vec2 value_at(ivec2 spot) {
    int line = grid.z == 1 ? spot.x + spot.y : spot.y;
    int halves = (grid.z == 1 ? spot.x - spot.y : 2 * spot.x + spot.y) + grid.w;
    int place = (halves - ((line & 1) ^ grid.w)) >> 1;
    ivec2 cell = base.z == 1 ? ivec2(line, place) : ivec2(place, line);
    return texelFetch(cells, clamp(cell, ivec2(-1), grid.xy) + 1, 0).rg;
}

vec4 of_hexagons(vec2 p) {
    bool low = p.x + p.y < 1.0;
    float corner = edge.y, side = (1.0 - corner) / 2.0;
    float tip = low ? p.y : 1.0 - p.y;
    float left = low ? 1.0 - p.x - p.y : p.x + p.y - 1.0;
    float right = low ? p.x : 1.0 - p.x;
    float share = min(tip / corner, min(left, right) / side);
    vec3 part = vec3(tip, left, right) - share * vec3(corner, side, side) + share / 3.0;
    vec3 other = max(part.yxx, part.zzy);
    part = clamp(0.5 + (part / (part + other) - 0.5) / edge.x, 0.0, 1.0);
    part /= part.x + part.y + part.z;
    return low ? vec4(part.y, part.z, part.x, 0.0) : vec4(0.0, part.x, part.z, part.y);
}

vec2 blended() {
    vec2 corner = floor(v_place), p = v_place - corner;
    if (grid.z != 2) p = clamp(0.5 + (p - 0.5) / edge.x, 0.0, 1.0);
    if (grid.z == 0)
        return texture(cells, (corner + vec2(base.xy) + p + 1.5) / vec2(textureSize(cells, 0))).rg;
    vec4 parts = grid.z == 2 ? of_hexagons(p) : vec4(
        (1.0 - p.x) * (1.0 - p.y), p.x * (1.0 - p.y), (1.0 - p.x) * p.y, p.x * p.y);
    ivec2 spot = ivec2(corner) + base.xy;
    vec2 value = vec2(0.0);
    for (int k = 0; k < 4; k++) value += parts[k] * value_at(spot + ivec2(k & 1, k >> 1));
    return value;
}
"""

# What follows BLENDED: the value of a fog is how dark it is.
FOG = """
void main() {
    f_color = vec4(0.0, 0.0, 0.0, blended().r);
}
"""

# Those of a field are distances, 0 where no way leads, and whether a way leads there.
FIELD = """
uniform vec4 near;
uniform vec4 far;
uniform vec2 range;  // max_distance and band

void main() {
    vec2 value = blended();
    float share = value.y, distance = value.x / max(share, 1e-9);
    f_color = mix(near, far, clamp(distance / range.x, 0.0, 1.0));
    f_color.a *= share * (0.7 + 0.3 * cos(6.283185307179586 * fract(distance / range.y)));
}
"""

# Those of an influence map are the influence above 0 and the influence below.
INFLUENCE = """
uniform vec4 high;
uniform vec4 low;
uniform float full;

void main() {
    vec2 value = blended();
    float share = (value.x - value.y) / full;
    f_color = share > 0.0 ? high : low;
    f_color.a *= min(abs(share), 1.0);
}
"""

ROWS = 64  # how many are compared at a time
UNIT = 0

Settings = Mapping[str, tuple[float, ...]]  # uniforms


class TexelOverlay(InWindow, CellOverlay):
    """The base of overlays: the values of the cells on the GPU, which follow the content."""

    _fragment: ClassVar[str]  # the shader after BLENDED
    _dtype: ClassVar[str] = "f4"  # two floats; or "f1", a byte, which is 0 to 1 in the shader
    _soft = 1.0  # how wide edges between cells are, in cells

    def _begin(self, frame: CellFrame) -> None:
        super()._begin(frame)
        self._known: tuple[object, ...] = ()  # the content that was uploaded
        self._sent: NDArray[Any] = np.empty((0, 0))  # its values
        self._texture: Texture2D | None = None
        self._uploads = 0  # how many cells the last `draw` uploaded
        longest = max(frame.columns, frame.rows)
        most = self._context.info.MAX_TEXTURE_SIZE - 2
        if longest > most:
            raise ValueError(f"a grid must have at most {most} columns and rows, got {longest}")
        whole = f"#version 330\n{BLENDED}{self._fragment}"
        self._program = program_of(self._context, VERTEX, whole, places={"cells": UNIT})
        self._settings: dict[str, tuple[float, ...]] = {
            "grid": (frame.columns, frame.rows, self._space.form, int(frame.even)),
            "edge": (self._soft, max(self._space.corner, 1e-6)),
        }

    @property
    def nbytes(self) -> int:
        """The memory of the cells, here and on the GPU, in bytes."""
        rows, columns = self._sent.shape[:2]
        texels = (rows + 2) * (columns + 2)
        return int(self._sent.nbytes + texels * self._sent.nbytes // max(rows * columns, 1))

    def draw(self) -> None:
        """Draw over the whole screen. The camera in use determines the view.

        Raises:
            ValueError: A fog has no such team.
        """
        context, content = self._context, self._content()
        self._uploads = 0
        if content != self._known:
            values, settings = self._values()
            self._settings |= settings
            if self._texture is None:
                self._texture = self._upload(values)
            else:
                self._write_changed(self._texture, values)
            self._sent, self._known = values, content
        assert self._texture is not None
        self._texture.use(UNIT)
        self._place()
        with blending(context):
            draw_quad(context, self._program)

    def _outside(self) -> int:
        """Return the value of cells beyond the grid."""
        return 0

    def _values(self) -> tuple[NDArray[Any], Settings]:
        """Return the values of all cells, and what the shader is told about them.

        They are one or two for each cell, by row and column; the array is kept.
        """
        raise NotImplementedError

    def _upload(self, values: NDArray[Any]) -> Texture2D:
        border = np.array(self._outside(), values.dtype)
        whole = np.full((values.shape[0] + 2, values.shape[1] + 2, *values.shape[2:]), border)
        whole[1:-1, 1:-1] = values
        self._uploads = values.shape[0] * values.shape[1]
        return texture_of(
            self._context,
            whole.shape[1::-1],
            smooth=True,
            components=1 if values.ndim == 2 else 2,
            dtype=self._dtype,
            data=whole.tobytes(),
            clamped=True,
        )

    def _write_changed(self, texture: Texture2D, values: NDArray[Any]) -> None:
        """Upload the box around the cells that differ from those that were sent."""
        sent, parts = self._sent, [slice(at, at + ROWS) for at in range(0, len(values), ROWS)]
        changed = [at for at in parts if values[at].tobytes() != sent[at].tobytes()]
        if not changed:
            return
        first, last = changed[0].start, changed[-1].stop
        differs = values[first:last] != sent[first:last]
        if differs.ndim == 3:
            differs = differs[..., 0] | differs[..., 1]  # `any` takes ten times as long
        rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
        top, bottom = first + int(rows[0]), first + int(rows[-1]) + 1
        left, right = int(columns[0]), int(columns[-1]) + 1
        wide, high = right - left, bottom - top
        box = values[top:bottom, left:right].tobytes()
        texture.write(box, viewport=(left + 1, top + 1, wide, high))
        self._uploads = wide * high

    def _place(self) -> None:
        """Tell the shader where the cells are on the screen."""
        a, b, c, d, e, f = self._space.to_cells
        screen = Screen.of(self._context)
        # In full precision; the shader gets them relative to a cell in the middle of the screen.
        spots = []
        for clip in ((-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0)):
            x, y = screen.world(*clip)
            spots.append((a * x + c * y + e, b * x + d * y + f))
        (p, q), (right_p, right_q), (up_p, up_q) = spots
        base_p, base_q = (
            round((right + up) / 2) for right, up in ((right_p, up_p), (right_q, up_q))
        )
        limit = 1 << 29
        base_p, base_q = (min(max(number, -limit), limit) for number in (base_p, base_q))
        program = self._program
        for name, values in self._settings.items():
            program[name] = values if len(values) > 1 else values[0]
        program["base"] = base_p, base_q, int(self._space.frame.by_columns)
        program["corners"] = p - base_p, q - base_q, 0.0, 0.0
        program["sides"] = right_p - p, right_q - q, up_p - p, up_q - q


class FogOverlay(TexelOverlay, CellsOfFog):
    """Darkens what a team does not see now, and blacks out what it has never seen.

    The layer follows the fog: `draw` uploads the box around the cells that have changed, a byte for
    each, and nothing while the fog stays the same.

    Cost: one quad over the screen, on any size of map.

    Args:
        fog: The `tilequad.nav.Fog`; it may be set at any time to another one of the same grid.
        team: The team whose view it is; it may be set at any time.
        soft: How wide the edges between cells are, in cells; 0 leaves them sharp.
        darkness: The darkness of cells never seen, and of cells seen before; 0 to 255.

    Attributes:
        fog: The fog.
        team: The team.

    Raises:
        TypeError: `fog` is not a `Fog`.
        ValueError: `soft` is not from 0 to 1, `darkness` not from 0 to 255, or the grid is larger
            than the textures of the GPU.

    Example:
        >>> import arcade
        >>> from tilequad.draw.arcade import FogOverlay, MapView, visible_bounds
        >>> def show(map_view: MapView, overlay: FogOverlay, camera: arcade.Camera2D) -> None:
        ...     with camera.activate():
        ...         map_view.draw(visible_bounds(camera))
        ...         overlay.draw()  # after the units
    """

    _fragment, _dtype = FOG, "f1"

    def _outside(self) -> int:
        return int(self._shades[0])

    def _values(self) -> tuple[NDArray[np.uint8], Settings]:
        return self._dark().astype(np.uint8), {}


class FieldOverlay(TexelOverlay, CellsOfField):
    """Colors the ground by how far it is to the goals of a field, in bands of equal distance.

    Where no way leads, nothing is drawn. The layer follows the field: `draw` uploads the box around
    the distances that have changed, eight bytes for each cell.

    Cost: one quad over the screen. After a change of the field, all its distances are read and
    compared, 10 ns for each cell.

    Args:
        field: The `tilequad.nav.Field`; it may be set at any time to another one
            of the same grid.
        max_distance: The distance that has the last color; None for the largest of the field.
        band: How wide a band is, in world units; None for a 24th of `max_distance`.
        near: Red, green, blue, alpha at the goals, 0 to 255.
        far: The same at `max_distance`.

    Attributes:
        field: The field.

    Raises:
        TypeError: `field` is not a `Field`.
        ValueError: `max_distance` or `band` is not above 0, or the grid is larger than the textures
            of the GPU.

    Example:
        >>> import arcade
        >>> from tilequad.draw.arcade import FieldOverlay, MapView, visible_bounds
        >>> def show(map_view: MapView, overlay: FieldOverlay, camera: arcade.Camera2D) -> None:
        ...     with camera.activate():
        ...         map_view.draw(visible_bounds(camera))
        ...         overlay.draw()  # before the units
    """

    _fragment = FIELD

    def _values(self) -> tuple[NDArray[np.float32], Settings]:
        values, colors = self._measured()
        return np.stack(values, axis=-1), {
            "range": (colors.max_distance, colors.band),
            "near": tuple(number / 255 for number in colors.near),
            "far": tuple(number / 255 for number in colors.far),
        }


class InfluenceOverlay(TexelOverlay, CellsOfInfluence):
    """Colors the ground by an influence map, the more strongly the greater the influence is.

    The layer follows the map: `draw` uploads the box around the cells that have changed, eight
    bytes for each cell.

    Cost: one quad over the screen. After an update of the map, all its cells are read and compared,
    10 ns for each cell.

    Args:
        influence: The `tilequad.nav.InfluenceMap`; it may be set at any time to another one of the
            same grid.
        full: The influence that has the whole color; None for the greatest on the map.
        high: Red, green, blue, alpha of an influence above 0, 0 to 255.
        low: The same below 0.

    Attributes:
        influence: The influence map.

    Raises:
        TypeError: `influence` is not an `InfluenceMap`.
        ValueError: `full` is not above 0, a color is not four numbers, or the grid is larger than
            the textures of the GPU.

    Example:
        >>> import arcade
        >>> from tilequad.draw.arcade import InfluenceOverlay, MapView, visible_bounds
        >>> def show(map_view: MapView, threat: InfluenceOverlay, camera: arcade.Camera2D) -> None:
        ...     with camera.activate():
        ...         map_view.draw(visible_bounds(camera))
        ...         threat.draw()  # before the units
    """

    _fragment = INFLUENCE

    def _values(self) -> tuple[NDArray[np.float32], Settings]:
        totals, tints = self._measured()
        values = np.stack((totals.clip(0.0), (-totals).clip(0.0)), axis=-1).astype(np.float32)
        return values, {
            "full": (tints.full,),
            "high": tuple(number / 255 for number in tints.high),
            "low": tuple(number / 255 for number in tints.low),
        }
