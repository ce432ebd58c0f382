/* Sorts by Morton codes, and splits sorted ranges. See order.h. */
#include "rtas/order.h"

#include <string.h>

#define CELLS  1024u /* cells of the grid along an axis: 10 bits of the code */
#define PASSES 4u    /* must be even, so that the sorted codes end up in the first array */

_Static_assert(30 <= PASSES * GEO_RTAS_DIGIT_BITS, "all bits of a code are sorted");
_Static_assert(GEO_RTAS_CHUNK_MIN % GEO_RTAS_BLOCK == 0, "a chunk has whole blocks");

/* Ranges of at most GRID_MIN references that share one Morton code are split without re-quantising
 * them. */
#define GRID_MIN GEO_RTAS_LEAF_MAX

/* Number of codes up to which a linear search is used. */
#define FEW 16u

/* Number of references that are prefetched while others are copied. */
#define FETCH_AHEAD 16u

/* ---- codes ---- */

/* Makes a grid of cubes, whose size is determined by the longest axis. */
static struct geo_rtas_mapping grid_of(const struct geo_rtas_box *centres)
{
    struct geo_rtas_mapping mapping = geo_rtas_split_mapping(centres, CELLS);
    float least = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        float scale = mapping.scale[axis];
        least = scale > 0 && scale < least ? scale : least;
    }
    for (int axis = 0; axis < 3; axis++) {
        mapping.scale[axis] = mapping.scale[axis] > 0 ? least : 0;
    }
    return mapping;
}

/* Inserts two zeros between each two of ten bits. */
static inline geo_rtas_ivec bits_spread(geo_rtas_ivec v)
{
    v = (v | v << 16) & 0x030000ff;
    v = (v | v << 8) & 0x0300f00f;
    v = (v | v << 4) & 0x030c30c3;
    return (v | v << 2) & 0x09249249;
}

static void codes_make(const struct geo_rtas_mapping *grid, const struct geo_rtas_ref *refs,
                       uint32_t begin, uint32_t end, struct geo_rtas_place *places)
{
    for (uint32_t i = begin; i < end; i++) {
        struct geo_rtas_box box = geo_rtas_ref_box(&refs[i]);
        geo_rtas_ivec cell =
            bits_spread(geo_rtas_split_mapping_bins(grid, geo_rtas_box_centre(&box)));
        uint32_t code = (uint32_t)cell[0] << 2 | (uint32_t)cell[1] << 1 | (uint32_t)cell[2];
        *places++ = (struct geo_rtas_place){.code = code, .ref = i};
    }
}

/* ---- sorting ---- */

static inline uint32_t digit_of(const struct geo_rtas_place *place, uint32_t pass)
{
    return place->code >> (pass * GEO_RTAS_DIGIT_BITS) & (GEO_RTAS_DIGITS - 1);
}

static void digits_count(const struct geo_rtas_place *places, uint32_t count, uint32_t pass,
                         uint32_t digits[GEO_RTAS_DIGITS])
{
    memset(digits, 0, GEO_RTAS_DIGITS * sizeof(*digits));
    for (uint32_t i = 0; i < count; i++) {
        digits[digit_of(&places[i], pass)]++;
    }
}

/* Converts the counts of all chunks to the place of each chunk's first element of each digit. */
static void digits_add_up(uint32_t (*digits)[GEO_RTAS_DIGITS], uint32_t chunks)
{
    uint32_t sum = 0;
    for (uint32_t digit = 0; digit < GEO_RTAS_DIGITS; digit++) {
        for (uint32_t i = 0; i < chunks; i++) {
            uint32_t count = digits[i][digit];
            digits[i][digit] = sum;
            sum += count;
        }
    }
}

static void digits_move(const struct geo_rtas_place *from, uint32_t count, uint32_t pass,
                        uint32_t digits[GEO_RTAS_DIGITS], struct geo_rtas_place *to)
{
    for (uint32_t i = 0; i < count; i++) {
        to[digits[digit_of(&from[i], pass)]++] = from[i];
    }
}

/* Copies references to the other array in the order of `places`, and computes the boxes of whole
 * blocks. */
static void refs_gather(const struct geo_rtas_build *build, uint32_t array, uint32_t begin,
                        uint32_t end)
{
    const struct geo_rtas_ref *from = build->refs[array];
    struct geo_rtas_ref *to = build->refs[!array];
    for (uint32_t i = begin; i < end; i++) {
        if (end - i > FETCH_AHEAD) {
            __builtin_prefetch(&from[build->places[i + FETCH_AHEAD].ref]);
        }
        to[i] = from[build->places[i].ref];
        if (i % GEO_RTAS_BLOCK == GEO_RTAS_BLOCK - 1 && i - begin >= GEO_RTAS_BLOCK - 1) {
            struct geo_rtas_box centres;
            geo_rtas_split_measure(&to[i + 1 - GEO_RTAS_BLOCK], GEO_RTAS_BLOCK,
                                   &build->blocks[i / GEO_RTAS_BLOCK], &centres);
        }
    }
}

/* ---- sort by all threads ---- */

bool geo_rtas_order_begin(struct geo_rtas_build *build)
{
    build->grid = grid_of(&build->all.centres);
    build->pass = 0;
    return geo_rtas_range_count(&build->all) > 0;
}

/* Returns the array of places that the pass reads; it writes to the array of the next pass. The
 * array of references that is free serves as the second array. */
static struct geo_rtas_place *places_of(const struct geo_rtas_build *build, uint32_t pass)
{
    return pass % 2 ? (void *)build->refs[!build->all.array] : build->places;
}

void geo_rtas_order_count(struct geo_rtas_build *build, uint32_t index)
{
    const struct geo_rtas_chunk *chunk = &build->chunks[index];
    struct geo_rtas_place *places = places_of(build, build->pass) + chunk->begin;
    if (build->pass == 0) {
        codes_make(&build->grid, build->refs[build->all.array], chunk->begin, chunk->end, places);
    }
    digits_count(places, chunk->end - chunk->begin, build->pass, build->digits[index]);
}

void geo_rtas_order_choose(struct geo_rtas_build *build)
{
    digits_add_up(build->digits, build->chunk_count);
}

void geo_rtas_order_move(struct geo_rtas_build *build, uint32_t index)
{
    const struct geo_rtas_chunk *chunk = &build->chunks[index];
    digits_move(places_of(build, build->pass) + chunk->begin, chunk->end - chunk->begin,
                build->pass, build->digits[index], places_of(build, build->pass + 1));
}

bool geo_rtas_order_next(struct geo_rtas_build *build)
{
    return ++build->pass < PASSES;
}

void geo_rtas_order_gather(struct geo_rtas_build *build, uint32_t index)
{
    refs_gather(build, build->all.array, build->chunks[index].begin, build->chunks[index].end);
}

void geo_rtas_order_end(struct geo_rtas_build *build)
{
    build->all.array = !build->all.array;
}

/* ---- split ---- */

static struct geo_rtas_box box_of(const struct geo_rtas_build *build,
                                  const struct geo_rtas_range *range)
{
    const struct geo_rtas_ref *refs = build->refs[range->array];
    struct geo_rtas_box box = geo_rtas_box_empty();
    for (uint32_t i = range->begin; i < range->end;) {
        if (i % GEO_RTAS_BLOCK == 0 && range->end - i >= GEO_RTAS_BLOCK) {
            geo_rtas_box_add(&box, &build->blocks[i / GEO_RTAS_BLOCK]);
            i += GEO_RTAS_BLOCK;
        } else {
            struct geo_rtas_box one = geo_rtas_ref_box(&refs[i++]);
            geo_rtas_box_add(&box, &one);
        }
    }
    return box;
}

/* Re-quantises the range in a grid of its own and sorts its references into the other array. Does
 * nothing if no grid can separate them. Other threads work on neighbouring ranges, so only data of
 * this range is written. */
static void range_order(const struct geo_rtas_build *build, struct geo_rtas_range *range)
{
    uint32_t digits[1][GEO_RTAS_DIGITS], count = geo_rtas_range_count(range);
    struct geo_rtas_place *places[2] = {&build->places[range->begin],
                                        (void *)&build->refs[!range->array][range->begin]};
    geo_rtas_split_measure(&build->refs[range->array][range->begin], count, &range->box,
                           &range->centres);
    struct geo_rtas_mapping grid = grid_of(&range->centres);
    if (geo_rtas_vec_bits(grid.scale > 0) == 0) {
        return;
    }
    codes_make(&grid, build->refs[range->array], range->begin, range->end, places[0]);
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        digits_count(places[pass % 2], count, pass, digits[0]);
        digits_add_up(digits, 1);
        digits_move(places[pass % 2], count, pass, digits[0], places[!(pass % 2)]);
    }
    refs_gather(build, range->array, range->begin, range->end);
    range->array = !range->array;
}

bool geo_rtas_order_is_known(const struct geo_rtas_build *build, const struct geo_rtas_range *range)
{
    return build->places[range->begin].code != build->places[range->end - 1].code;
}

/* Returns the first place whose code has the highest differing bit set. */
static uint32_t middle_find(const struct geo_rtas_place *places, uint32_t begin, uint32_t end)
{
    uint32_t first = places[begin].code, last = places[end - 1].code;
    uint32_t bit = 31u - (uint32_t)__builtin_clz(first ^ last), pivot = last >> bit << bit;
    /* Branches on codes would be unpredictable, so the search has none. Invariant: places[begin] is
     * below pivot, and the result is among the next `count` places, the last of which is not below
     * pivot. */
    uint32_t count = end - 1 - begin, below = 0;
    while (count > FEW) {
        uint32_t half = count / 2;
        begin += places[begin + half].code < pivot ? half : 0;
        count -= half;
    }
    for (uint32_t i = 1; i < count; i++) { /* these steps are independent of each other */
        below += places[begin + i].code < pivot;
    }
    return begin + below + 1;
}

void geo_rtas_order_cut(const struct geo_rtas_build *build, const struct geo_rtas_range *range,
                        struct geo_rtas_range halves[2])
{
    struct geo_rtas_range whole = *range;
    bool known = geo_rtas_order_is_known(build, &whole);
    if (!known && geo_rtas_range_count(&whole) > GRID_MIN) {
        range_order(build, &whole);
        known = geo_rtas_order_is_known(build, &whole);
    }
    halves[0] = halves[1] = whole;
    halves[0].end = halves[1].begin = known ? middle_find(build->places, whole.begin, whole.end)
                                            : whole.begin + geo_rtas_range_count(&whole) / 2;
    halves[0].box = box_of(build, &halves[0]);
    halves[1].box = box_of(build, &halves[1]);
}
