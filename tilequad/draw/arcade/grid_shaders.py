"""The GLSL that draws cells: from the screen to the cell, and from the cell to the screen.

Points are pixels of the map, y down, from the anchor of a cell in view, the base. A cell is counted
by step and line of the lattice of anchors, from the base, too.
"""

from __future__ import annotations

from tilequad.draw.arcade.picture_sheet import LEVELS
from tilequad.draw.arcade.tile_kinds import PER_ROW, TEXELS

__all__ = [
    "BLOCKS_UNIT", "CELLS_UNIT", "GRID_BLOCK", "GRID_FRAGMENT", "GRID_VERTEX", "KINDS_UNIT",
    "OBJECT_VERTEX",     "PLACES_UNIT", "QUAD_FRAGMENT", "QUAD_VERTEX", "SHEET_UNIT",
]  # fmt: skip

# Texture units. Other pictures are bound to 0 and 1 between layers.
SHEET_UNIT, KINDS_UNIT, CELLS_UNIT, PLACES_UNIT, BLOCKS_UNIT = 6, 2, 3, 4, 5

GRID_BLOCK = 2  # the binding of the block `Grid`; 0 and 1 may be arcade's

COMMON = """#version 330
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
    vec4 look;        // level of detail; samples along x and y; what to do, see below; opacity
    ivec4 base;       // step and line of the base; kind of lattice; shift of even rows or columns
    ivec4 places;     // left, top, across, down: the directory, in blocks of 8 x 8
    ivec4 sense;      // 1 or -1 for columns and rows; the least lines and steps to try
};

const int PER_ROW = %d, TEXELS = %d, LEVELS = %d;

uniform sampler2D sheet;
uniform sampler2D kinds;
uniform usampler2D cells;

vec4 kind_texel(int kind, int texel) {
    return texelFetch(kinds, ivec2(kind %% PER_ROW * TEXELS + texel, kind / PER_ROW), 0);
}

// The colour of a kind at a place in its upright box, 0 to 1, y down. As in shaders.py: on the edge
// of two texels the first one of the picture counts, and a tint sees clear pixels on white.
vec4 picture_texel(int kind, vec2 spot, vec4 turn) {
    int flips = int(turn.z);
    if ((flips & 2) != 0) spot.y = 1.0 - spot.y;
    if ((flips & 4) != 0) spot.x = 1.0 - spot.x;
    if ((flips & 1) != 0) spot = spot.yx;
    int level = clamp(int(floor(look.x + turn.w + 0.5)), 0, LEVELS - 1);
    vec4 place = kind_texel(kind, 2 + level);
    vec2 texel = clamp(spot * place.zw - 0.015625, vec2(0.5), place.zw - 0.5);
    return texture(sheet, (place.xy + texel) / vec2(textureSize(sheet, 0)));
}

vec4 tinted(vec4 texel) {
    if (tint.rgb != vec3(1.0)) texel.rgb = mix(vec3(1.0), texel.rgb, texel.a);
    return texel * tint;
}

// What the blend function expects, `look.z`: 0 the colour as it is, 1 the colour times its alpha,
// 2 a colour that fades to white.
vec4 for_blending(vec4 color) {
    if (look.z == 1.0) color.rgb *= color.a;
    if (look.z == 2.0) color.rgb = mix(vec3(1.0), color.rgb, color.a);
    return color;
}
""" % (PER_ROW, TEXELS, LEVELS)

# One rectangle over the part of the screen that the layer may touch.
GRID_VERTEX = COMMON + """
out vec2 v_point;

void main() {
    vec2 clip = vec2((gl_VertexID & 1) == 0 ? area.x : area.z,
                     (gl_VertexID & 2) == 0 ? area.y : area.w);
    v_point = from_clip.xy + clip.x * from_clip.zw + clip.y * from_clip_y.xy;
    gl_Position = vec4(clip, 0.0, 1.0);
}
"""

# For each pixel, the cells whose tiles may cover it, the last drawn first, until it is covered.
# An edge on the centre of a pixel goes right and down, so pixels are looked up a little before
# their centre. SINGLE: every tile fills exactly its cell, so only one comes into question.
GRID_FRAGMENT = COMMON + """
uniform isampler2D directory;
in vec2 v_point;
out vec4 f_color;

int kind_at(ivec2 cell) {
    ivec2 block = (cell >> 3) - places.xy;
    if (block.x < 0 || block.y < 0 || block.x >= places.z || block.y >= places.w) return 0;
    int entry = block.y * places.z + block.x;
    int number = texelFetch(directory, ivec2(entry & 4095, entry >> 12), 0).x;
    if (number == 0) return 0;
    int slot = number * 64 + (cell.y & 7) * 8 + (cell.x & 7);
    return int(texelFetch(cells, ivec2(slot & 4095, slot >> 12), 0).x);
}

// The column and row at a step and a line. False where the lattice has no cell.
bool cell_at(ivec2 step_line, out ivec2 cell) {
    ivec2 at = step_line + base.xy;
    cell = at;
    if (base.z == 0) { cell = at * sense.xy; return true; }
    if (base.z == 1) { cell = ivec2(at.x + at.y, at.y - at.x) >> 1; return ((at.x + at.y) & 1) == 0; }
    if (base.z == 2) {
        int rest = at.x - ((at.y & 1) ^ base.w);
        cell.x = rest >> 1;
        return (rest & 1) == 0;
    }
    int rest = at.y - ((at.x & 1) ^ base.w);
    cell.y = rest >> 1;
    return (rest & 1) == 0;
}

vec2 times(vec4 matrix, vec2 point) { return matrix.xy * point.x + matrix.zw * point.y; }

#ifdef SINGLE
vec4 color_at(vec2 point) {
    vec2 lattice = times(to_lattice, point - from_clip_y.zw);
    ivec2 step_line = ivec2(floor(lattice - reach.xy));
    ivec2 cell;
    cell_at(step_line, cell);
    int kind = kind_at(cell);
    if (kind == 0) return vec4(0.0);
    vec4 place = kind_texel(kind, 0);
    vec2 spot = (point - times(to_point, vec2(step_line)) - place.xy) / place.zw + 0.5;
    return tinted(picture_texel(kind, spot, kind_texel(kind, 1)));
}
#else
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
            vec4 color = tinted(picture_texel(kind, arm / place.zw + 0.5, turn));
            sum += vec4(color.rgb * color.a, color.a) * (1.0 - sum.a);
            if (sum.a > 0.998) return vec4(sum.rgb / sum.a, 1.0);
        }
    }
    return sum.a == 0.0 ? sum : vec4(sum.rgb / sum.a, sum.a);
}
#endif

void main() {
    vec4 color;
    if (look.y < 2.0) {
        color = color_at(v_point);
    } else {  // tiles of a few pixels: the mean of several places in the pixel
        vec2 across = from_clip.zw * 2.0 / clip_base.z, along = from_clip_y.xy * 2.0 / clip_base.w;
        vec4 sum = vec4(0.0);
        int count = int(look.y);
        for (int number = 0; number < count * count; number++) {
            vec2 shift = (vec2(number % count, number / count) + 0.5) / float(count) - 0.5;
            vec4 one = color_at(v_point + shift.x * across + shift.y * along);
            sum += vec4(one.rgb * one.a, one.a);
        }
        color = vec4(sum.rgb / max(sum.a, 1e-6), sum.a / float(count * count));
    }
    if (color.a == 0.0) discard;
    f_color = for_blending(color);
}
"""

# One quad for each slot of a cell.
QUAD_VERTEX = COMMON + """
uniform isampler2D blocks;
in int in_slot;
out vec2 v_spot;
flat out int v_kind;
flat out vec4 v_turn;
flat out float v_away;
flat out float v_opacity;

void main() {
    v_opacity = 1.0;
    int number = in_slot >> 6;
    ivec2 cell = texelFetch(blocks, ivec2(number & 4095, number >> 12), 0).xy;
    cell += ivec2(in_slot & 7, (in_slot >> 3) & 7);
    v_kind = int(texelFetch(cells, ivec2(in_slot & 4095, in_slot >> 12), 0).x);
    ivec2 at = cell * sense.xy;
    if (base.z == 1) at = ivec2(cell.x - cell.y, cell.x + cell.y);
    if (base.z == 2) at = ivec2(2 * cell.x + ((cell.y & 1) ^ base.w), cell.y);
    if (base.z == 3) at = ivec2(cell.x, 2 * cell.y + ((cell.x & 1) ^ base.w));
    vec2 lattice = vec2(at - base.xy);
    vec4 place = kind_texel(v_kind, 0);
    v_turn = kind_texel(v_kind, 1);
    v_spot = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 arm = (v_spot - 0.5) * place.zw;
    vec2 point = to_point.xy * lattice.x + to_point.zw * lattice.y + place.xy
        + vec2(v_turn.x * arm.x - v_turn.y * arm.y, v_turn.y * arm.x + v_turn.x * arm.y);
    vec2 clip = clip_base.xy + to_clip.xy * point.x + to_clip.zw * point.y;
    v_away = min(abs(v_turn.x), abs(v_turn.y)) < 1e-5 ? 1.0 : -1.0;
    gl_Position = vec4(clip + v_away * vec2(0.03125, -0.03125) / clip_base.zw, 0.0, 1.0);
}
"""

QUAD_FRAGMENT = COMMON + """
in vec2 v_spot;
flat in int v_kind;
flat in vec4 v_turn;
flat in float v_away;
flat in float v_opacity;
out vec4 f_color;

void main() {
    // edges have moved, samples stay
    vec2 spot = v_spot + (dFdx(v_spot) - dFdy(v_spot)) * 0.015625 * v_away;
    vec4 color = tinted(picture_texel(v_kind, clamp(spot, 0.0, 1.0), v_turn));
    color.a *= v_opacity;
    if (color.a == 0.0) discard;
    f_color = for_blending(color);
}
"""

# One quad for each record of a tile object.
OBJECT_VERTEX = COMMON + """
in vec2 in_center;
in vec2 in_size;
in vec4 in_turn;
in int in_kind;
in float in_opacity;
out vec2 v_spot;
flat out int v_kind;
flat out vec4 v_turn;
flat out float v_away;
flat out float v_opacity;

void main() {
    v_kind = in_kind;
    v_turn = in_turn;
    v_opacity = in_opacity;
    v_spot = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 arm = (v_spot - 0.5) * in_size;
    vec2 point = in_center
        + vec2(v_turn.x * arm.x - v_turn.y * arm.y, v_turn.y * arm.x + v_turn.x * arm.y);
    vec2 clip = clip_base.xy + to_clip.xy * point.x + to_clip.zw * point.y;
    v_away = min(abs(v_turn.x), abs(v_turn.y)) < 1e-5 ? 1.0 : -1.0;
    gl_Position = vec4(clip + v_away * vec2(0.03125, -0.03125) / clip_base.zw, 0.0, 1.0);
}
"""
