"""The GLSL that draws cells: from the screen to the cell, and from the cell to the screen.

The base is the anchor of a cell in view. Points are in pixels of the map, y down, from the base.
Cells are counted by step and line of the lattice of anchors, also from the base.
"""

from __future__ import annotations

from tilequad.draw.arcade.tile_kinds import LEVELS, PER_ROW, TEXELS, UNITS

__all__ = [
    "GRID_BLOCK",
    "GRID_FRAGMENT",
    "GRID_PLACES",
    "GRID_VERTEX",
    "OBJECT_VERTEX",
    "QUAD_FRAGMENT",
    "QUAD_VERTEX",
]

GRID_BLOCK = 2  # the binding of the block `Grid`; 0 and 1 may be arcade's
GRID_PLACES = {**UNITS, "Grid": GRID_BLOCK}

COMMON = (
    "#version 330\n"
    f"const int PER_ROW = {PER_ROW}, TEXELS = {TEXELS}, LEVELS = {LEVELS};"
    """
layout(std140) uniform Grid {
    vec4 to_clip;     // two columns: clip = clip_base + to_clip * point
    vec4 clip_base;   // then the size of the viewport in pixels
    vec4 from_clip;   // the point at the middle of the screen; the way to its right edge
    vec4 from_clip_y; // the way to its upper edge; how far edges are moved, see below
    vec4 area;        // what to cover, in clip coordinates
    vec4 to_point;    // two columns: the anchor of (step, line) = to_point * (step, line)
    vec4 to_lattice;  // its inverse
    vec4 reach;       // of all tiles, from their anchors, in steps and lines: low, high
    vec4 tint;
    vec4 look;        // level of detail; not used; what to do, see below; not used
    ivec4 base;       // step and line of the base; kind of lattice; shift of even rows or columns
    ivec4 places;     // left, top, across, down: the directory, in blocks of 8 x 8
    ivec4 sense;      // 1 or -1 for columns and rows; for ONE the row of its table
    vec4 one;         // for ONE: how far edges are moved, in steps and lines
    vec4 one_copy;    // for ONE: width and height of the copies of pictures
};

uniform sampler2D sheet;
uniform sampler2D kinds;
uniform usampler2D cells;

vec4 kind_texel(int kind, int texel) {
    return texelFetch(kinds, ivec2(kind % PER_ROW * TEXELS + texel, kind / PER_ROW), 0);
}

// Undo the flips of a tile: from a place in its upright box, 0 to 1, y down, to its picture.
vec2 unflipped(vec2 spot, int flips) {
    spot = (flips & 2) != 0 ? vec2(spot.x, 1.0 - spot.y) : spot;
    spot = (flips & 4) != 0 ? vec2(1.0 - spot.x, spot.y) : spot;
    return (flips & 1) != 0 ? spot.yx : spot;
}

// Left, top, width and height of the copy of a picture to take.
vec4 copy_of(int kind, float shrunk) {
    int level = clamp(int(floor(look.x + shrunk + 0.5)), 0, LEVELS - 1);
    return kind_texel(kind, 2 + level);
}

// The color at a place in a picture. As in shaders.py: on the edge of two texels the first counts.
vec4 picture_texel(vec4 place, vec2 spot) {
    vec2 texel = clamp(spot * place.zw - 0.015625, vec2(0.5), place.zw - 0.5);
    return texture(sheet, (place.xy + texel) / vec2(textureSize(sheet, 0)));
}

// A tint sees clear pixels on white, as in Tiled.
vec4 tinted(vec4 texel) {
    if (tint.rgb != vec3(1.0)) texel.rgb = mix(vec3(1.0), texel.rgb, texel.a);
    return texel * tint;
}

// What the blend function expects, `look.z`: 0 the color as it is, 1 the color times its alpha,
// 2 a color that fades to white.
vec4 for_blending(vec4 color) {
    if (look.z == 1.0) color.rgb *= color.a;
    if (look.z == 2.0) color.rgb = mix(vec3(1.0), color.rgb, color.a);
    return color;
}
"""
)

# One rectangle over the part of the screen that the layer may touch.
GRID_VERTEX = (
    COMMON
    + """
out vec2 v_point;
out vec2 v_lattice;  // for ONE: in steps and lines, from the corner of a tile

void main() {
    vec2 clip = vec2((gl_VertexID & 1) == 0 ? area.x : area.z,
                     (gl_VertexID & 2) == 0 ? area.y : area.w);
    v_point = from_clip.xy + clip.x * from_clip.zw + clip.y * from_clip_y.xy;
    v_lattice = (v_point - from_clip_y.zw) * vec2(to_lattice.x, to_lattice.w) - reach.xy;
    gl_Position = vec4(clip, 0.0, 1.0);
}
"""
)

# For each pixel, the cells whose tiles may cover it, the last drawn first, until it is covered.
# An edge on the center of a pixel goes right and down, so pixels are looked up a little before
# their center. These are variants because software renderers execute both sides of every branch:
#
# ONE: every tile fills just its cell, with pictures of one size, so a cell alone is looked up.
# NEAR: not zoomed out, so single texels are shown.
# PLAIN: no tint, and the color is blended as it is.
GRID_FRAGMENT = (
    COMMON
    + """
uniform isampler2D directory;
uniform usampler2D table;
in vec2 v_point;
in vec2 v_lattice;
out vec4 f_color;

int kind_at(ivec2 cell) {
    ivec2 block = (cell >> 3) - places.xy;
    bool inside = block.x >= 0 && block.y >= 0 && block.x < places.z && block.y < places.w;
    int entry = inside ? block.y * places.z + block.x : 0;
    int number = texelFetch(directory, ivec2(entry & 4095, entry >> 12), 0).x;
    number = inside ? number : 0;
    int slot = number * 64 + (cell.y & 7) * 8 + (cell.x & 7);
    return int(texelFetch(cells, ivec2(slot & 4095, slot >> 12), 0).x);
}

vec4 finished(vec4 color) {
#ifdef PLAIN
    color.a *= tint.a;
    return color;
#else
    return tinted(color);
#endif
}

#ifdef ONE
vec4 color_at(vec2 lattice) {
    vec2 corner = floor(lattice);
    int kind = kind_at(ivec2(corner) + base.xy);
    int code = int(texelFetch(table, ivec2(kind & 1023, (kind >> 10) * LEVELS + sense.z), 0).x);
    vec2 spot = unflipped(lattice - corner + one.xy, code >> 28);
    vec2 texel = clamp(spot * one_copy.xy - 0.015625, vec2(0.5), one_copy.xy - 0.5);
    vec2 start = vec2(code & 16383, (code >> 14) & 16383);
#ifdef NEAR
    vec4 color = texelFetch(sheet, ivec2(start + texel), 0);
#else
    vec4 color = texture(sheet, (start + texel) * one_copy.zw);
#endif
    return kind == 0 ? vec4(0.0) : finished(color);
}
#define HERE v_lattice
#else
#define HERE v_point

vec2 times(vec4 matrix, vec2 point) { return matrix.xy * point.x + matrix.zw * point.y; }

// The column and row at a step and a line. False where the lattice has no cell.
bool cell_at(ivec2 step_line, out ivec2 cell) {
    ivec2 at = step_line + base.xy;
    cell = at;
    if (base.z == 0) { cell = at * sense.xy; return true; }
    if (base.z == 1) {
        cell = ivec2(at.x + at.y, at.y - at.x) >> 1;
        return ((at.x + at.y) & 1) == 0;
    }
    if (base.z == 2) {
        int rest = at.x - ((at.y & 1) ^ base.w);
        cell.x = rest >> 1;
        return (rest & 1) == 0;
    }
    int rest = at.y - ((at.x & 1) ^ base.w);
    cell.y = rest >> 1;
    return (rest & 1) == 0;
}

vec4 color_at(vec2 point) {
    vec2 lattice = times(to_lattice, point - from_clip_y.zw);
    ivec2 first = ivec2(floor(lattice - reach.zw)) + 1;
    ivec2 last = ivec2(floor(lattice - reach.xy));
    vec4 sum = vec4(0.0);  // times alpha
    for (int line = last.y; line >= first.y; line--) {
        for (int step_ = last.x; step_ >= first.x; step_--) {
            ivec2 cell;
            if (!cell_at(ivec2(step_, line), cell)) continue;
            int kind = kind_at(cell);
            if (kind == 0) continue;
            vec4 place = kind_texel(kind, 0), turn = kind_texel(kind, 1);
            vec2 arm = point - times(to_point, vec2(step_, line)) - place.xy;
            // Tiled's toolkit moves edges that run across the pixels the other way.
            vec2 moved = min(abs(turn.x), abs(turn.y)) < 1e-5 ? -from_clip_y.zw : from_clip_y.zw;
            vec2 seen = arm + moved;
            arm = vec2(turn.x * arm.x + turn.y * arm.y, turn.x * arm.y - turn.y * arm.x);
            seen = vec2(turn.x * seen.x + turn.y * seen.y, turn.x * seen.y - turn.y * seen.x);
            vec2 past = abs(seen) - 0.5 * place.zw;
            if (max(past.x, past.y) > 0.001) continue;
            vec2 spot = unflipped(arm / place.zw + 0.5, int(turn.z));
            vec4 color = finished(picture_texel(copy_of(kind, turn.w), spot));
            sum += vec4(color.rgb * color.a, color.a) * (1.0 - sum.a);
            if (sum.a > 0.998) return vec4(sum.rgb / sum.a, 1.0);
        }
    }
    return sum.a == 0.0 ? sum : vec4(sum.rgb / sum.a, sum.a);
}
#endif

void main() {
    vec4 color = color_at(HERE);
#ifdef PLAIN
    f_color = color;
#else
    f_color = for_blending(color);
#endif
}
"""
)

# A corner of a quad. Its edges move a little, see shaders.py, but not what its pixels show.
SHOW = """
out vec2 v_uv;
flat out vec4 v_limits;
flat out float v_opacity;

void show(int kind, vec4 turn, vec2 corner, vec2 size, vec2 point) {
    vec2 clip = clip_base.xy + to_clip.xy * point.x + to_clip.zw * point.y;
    float away = min(abs(turn.x), abs(turn.y)) < 1e-5 ? 1.0 : -1.0;
    gl_Position = vec4(clip + away * vec2(0.03125, -0.03125) / clip_base.zw, 0.0, 1.0);
    vec2 moved = away * from_clip_y.zw;
    vec2 back = vec2(turn.x * moved.x + turn.y * moved.y, turn.x * moved.y - turn.y * moved.x);
    vec4 place = copy_of(kind, turn.w);
    vec2 sheet_size = vec2(textureSize(sheet, 0));
    vec2 spot = unflipped(corner + back / max(size, vec2(1e-6)), int(turn.z));
    v_uv = (place.xy + spot * place.zw - 0.015625) / sheet_size;
    v_limits = vec4(place.xy + 0.5, place.xy + place.zw - 0.5) / sheet_size.xyxy;
}
"""

# One quad for each slot of a cell.
QUAD_VERTEX = (
    COMMON
    + SHOW
    + """
uniform isampler2D blocks;
in int in_slot;

void main() {
    v_opacity = 1.0;
    int number = in_slot >> 6;
    ivec2 cell = texelFetch(blocks, ivec2(number & 4095, number >> 12), 0).xy;
    cell += ivec2(in_slot & 7, (in_slot >> 3) & 7);
    int kind = int(texelFetch(cells, ivec2(in_slot & 4095, in_slot >> 12), 0).x);
    ivec2 at = cell * sense.xy;
    if (base.z == 1) at = ivec2(cell.x - cell.y, cell.x + cell.y);
    if (base.z == 2) at = ivec2(2 * cell.x + ((cell.y & 1) ^ base.w), cell.y);
    if (base.z == 3) at = ivec2(cell.x, 2 * cell.y + ((cell.x & 1) ^ base.w));
    vec2 lattice = vec2(at - base.xy);
    vec4 place = kind_texel(kind, 0), turn = kind_texel(kind, 1);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 arm = (corner - 0.5) * place.zw;
    vec2 point = to_point.xy * lattice.x + to_point.zw * lattice.y + place.xy
        + vec2(turn.x * arm.x - turn.y * arm.y, turn.y * arm.x + turn.x * arm.y);
    show(kind, turn, corner, place.zw, point);
}
"""
)

QUAD_FRAGMENT = (
    COMMON
    + """
in vec2 v_uv;
flat in vec4 v_limits;
flat in float v_opacity;
out vec4 f_color;

void main() {
    vec4 color = texture(sheet, clamp(v_uv, v_limits.xy, v_limits.zw));
#ifdef PLAIN
    color.a *= tint.a * v_opacity;
    f_color = color;
#else
    color = tinted(color);
    color.a *= v_opacity;
    f_color = for_blending(color);
#endif
}
"""
)

# One quad for each record of a tile object.
OBJECT_VERTEX = (
    COMMON
    + SHOW
    + """
in vec2 in_center;
in vec2 in_size;
in vec4 in_turn;
in int in_kind;
in float in_opacity;

void main() {
    vec4 turn = in_turn;
    v_opacity = in_opacity;
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 arm = (corner - 0.5) * in_size;
    vec2 point = in_center
        + vec2(turn.x * arm.x - turn.y * arm.y, turn.y * arm.x + turn.x * arm.y);
    show(in_kind, turn, corner, in_size, point);
}
"""
)
