/* Corpus of OpenCL C kernels: how what items touch lies in memory. */
#include "../corpus.h"
#include "shapes.h"

/* Whole tiles, rows that are left over, chunks that are. */
static const struct corpus_shape planes[] = {
    {{2, 2, 1}, {32, 16, 1}, {0, 0, 0}}, {{3, 1, 1}, {16, 20, 2}, {0, 0, 0}},
    {{1, 3, 1}, {37, 9, 1}, {0, 0, 0}},  {{2, 2, 1}, {8, 4, 1}, {0, 0, 0}},
    {{1, 1, 1}, {3, 5, 1}, {0, 0, 0}},   SHAPE_END,
};
/* In one plane, of an even height. */
static const struct corpus_shape flat_planes[] = {
    {{2, 2, 1}, {32, 16, 1}, {0, 0, 0}},
    {{3, 2, 1}, {16, 20, 1}, {0, 0, 0}},
    {{1, 2, 1}, {29, 9, 1}, {0, 0, 0}},
    {{2, 2, 1}, {8, 4, 1}, {0, 0, 0}},
    SHAPE_END,
};

#define TURNED(name, TYPE)                                                                         \
    {.kernel = name, .args = {IN(TYPE, GEN_RANDOM), OUT(TYPE)}, .shapes = planes}

static const struct corpus_case turned[] = {
    TURNED("turned_uchar", U8),
    TURNED("turned_ushort", U16),
    TURNED("turned_uint", U32),
    TURNED("turned_ulong", U64),
    TURNED("turned_float", F32),
    TURNED("turned_double", F64),
    TURNED("turned_columns", I32),
    {.kernel = "turned_mixed",
     .args = {IN(U8, GEN_RANDOM), IN(F64, GEN_SMALL), OUT(F64), OUT(U16)},
     .shapes = planes},
    {.kernel = "turned_apart", .args = {IN(U32, GEN_RANDOM), OUT_N(U32, 2)}, .shapes = planes},
    {.kernel = "turned_uneven",
     .args = {IN(U32, GEN_RANDOM), {ARG_INOUT, U32, GEN_ZERO, 1, 1, 0, 0}},
     .shapes = flat_planes},
    {.kernel = "turned_masked",
     .args = {IN(I32, GEN_RANDOM), INOUT(I32, GEN_RANDOM)},
     .shapes = flat_planes},
    {.kernel = "turned_left",
     .args = {IN(I32, GEN_RANDOM), INOUT(I32, GEN_RANDOM)},
     .shapes = flat_planes},
    {.kernel = "turned_below",
     .args = {IN(I32, GEN_RANDOM), INOUT(I32, GEN_RANDOM), VALUE(U32, 17), VALUE(U32, 11)},
     .shapes = flat_planes},
    {.kernel = "turned_local", .args = {IN(F32, GEN_RANDOM), OUT(F32)}, .shapes = flat_planes},
};

/* Buffers end with the last item that touches them. */
#define RECORDS(name, some, TYPE, n)                                                               \
    {.kernel = name,                                                                               \
     .args = {IN(U32, GEN_PERM), IN_N(TYPE, GEN_SMALL, n), OUT_N(TYPE, 2 * (n))},                  \
     .shapes = even},                                                                              \
    {                                                                                              \
        .kernel = some,                                                                            \
        .args = {IN(U32, GEN_PERM), IN_N(TYPE, GEN_SMALL, 3 * (n)),                                \
                 INOUT_N(TYPE, GEN_SMALL, 4 * (n))},                                               \
        .shapes = even                                                                             \
    }

/* Of an even number of items. */
static const struct corpus_shape even[] = {SHAPE1(10, 7), SHAPE1(3, 64), SHAPE1(2, 1),
                                           SHAPE1(4, 37), SHAPE_END};

static const struct corpus_case records[] = {
    RECORDS("record_uint2", "record_some_uint2", U32, 2),
    RECORDS("record_float2", "record_some_float2", F32, 2),
    RECORDS("record_uint4", "record_some_uint4", U32, 4),
    RECORDS("record_float4", "record_some_float4", F32, 4),
    RECORDS("record_ulong2", "record_some_ulong2", U64, 2),
    RECORDS("record_uchar16", "record_some_uchar16", U8, 16),
    RECORDS("record_short8", "record_some_short8", I16, 8),
    RECORDS("record_int8", "record_some_int8", I32, 8),
    RECORDS("record_double4", "record_some_double4", F64, 4),
    RECORDS("record_uint16", "record_some_uint16", U32, 16),
    {.kernel = "record_pixels",
     .args = {IN_N(U8, GEN_RANDOM, 3), IN_N(U16, GEN_RANDOM, 3), IN_N(U8, GEN_RANDOM, 4),
              OUT_N(U8, 2)},
     .shapes = even},
    {.kernel = "record_elements",
     .args = {IN(U32, GEN_PERM), IN_N(U32, GEN_RANDOM, 8), INOUT_N(U32, GEN_RANDOM, 8)},
     .shapes = even},
    {.kernel = "record_in_place",
     .args = {IN(U32, GEN_PERM), INOUT_N(U64, GEN_RANDOM, 6)},
     .shapes = even},
    {.kernel = "record_rewritten",
     .args = {IN(U32, GEN_PERM), INOUT_N(U32, GEN_RANDOM, 8)},
     .shapes = even},
    {.kernel = "record_walked",
     .args = {IN(U32, GEN_PERM), IN_N(U32, GEN_RANDOM, 16), OUT(U64)},
     .shapes = even},
    {.kernel = "record_filled",
     .args = {IN(U32, GEN_RANDOM), OUT_N(U8, 3), OUT_N(U8, 4), OUT_N(U16, 2),
              INOUT_N(F32, GEN_SMALL, 3), INOUT_N(U64, GEN_RANDOM, 3)},
     .shapes = even},
    {.kernel = "record_float3",
     .args = {IN(U32, GEN_PERM), IN_N(F32, GEN_SMALL, 4), OUT(F32)},
     .shapes = even},
};

/* ---- row_walks.cl ---- */

#define ROW 12

static const struct corpus_case row_walks[] = {
    {.kernel = "row_prefixes", .args = {IN_N(U32, GEN_RANDOM, ROW), OUT(U32)}, .shapes = even},
    {.kernel = "row_suffixes",
     .args = {IN_N(F32, GEN_SMALL, 11), IN_N(U64, GEN_RANDOM, 11), VALUE(I32, 11), OUT(F32)},
     .shapes = even},
    {.kernel = "row_starts_behind_its_end",
     .args = {IN_N(I32, GEN_RANDOM, ROW), IN_ALL(I32, GEN_SMALL, 16), VALUE(I32, 9), OUT(I32)},
     .shapes = even},
    {.kernel = "row_of_some",
     .args = {IN_N(U32, GEN_RANDOM, ROW), VALUE(U32, ROW), OUT(U32)},
     .shapes = even},
};

/* ---- dense.cl ---- */

#define WHOLE(name, TYPE, N)                                                                       \
    {.kernel = name,                                                                               \
     .args = {IN_N(TYPE, GEN_RANDOM, N), IN_N(TYPE, GEN_EDGE, N), OUT_N(TYPE, N)},                 \
     .shapes = corpus_short}
#define VOTES(name, N)                                                                             \
    {.kernel = name, .args = {IN_N(U8, GEN_EDGE, N), OUT(U32)}, .shapes = corpus_short}

static const struct {
    uint16_t v[4];
} __attribute__((aligned(8))) given = {{3, 0xfffe, 0x8001, 77}};

static const struct corpus_case dense[] = {
    WHOLE("dense_uchar16", U8, 16),
    WHOLE("dense_uchar8", U8, 8),
    WHOLE("dense_uchar4", U8, 4),
    WHOLE("dense_char16", I8, 16),
    WHOLE("dense_char2", I8, 2),
    WHOLE("dense_ushort8", U16, 8),
    WHOLE("dense_ushort4", U16, 4),
    WHOLE("dense_short16", I16, 16),
    WHOLE("dense_short2", I16, 2),
    {.kernel = "dense_divide",
     .args = {IN_N(U16, GEN_RANDOM, 8), IN_N(U16, GEN_EDGE, 8), OUT_N(U16, 8)},
     .shapes = corpus_short},
    {.kernel = "dense_shuffles",
     .args = {IN_N(U8, GEN_RANDOM, 16), IN_N(U8, GEN_RANDOM, 16), OUT_N(U8, 16)},
     .shapes = corpus_short},
    {.kernel = "dense_moves",
     .args = {IN_N(U8, GEN_RANDOM, 16), IN_N(U8, GEN_RANDOM, 16), OUT_N(U8, 64)},
     .shapes = corpus_short},
    VOTES("dense_votes2", 2),
    VOTES("dense_votes4", 4),
    VOTES("dense_votes8", 8),
    VOTES("dense_votes16", 16),
    {.kernel = "dense_casts",
     .args = {IN_N(U8, GEN_RANDOM, 16), IN_N(U16, GEN_RANDOM, 8), OUT_N(U64, 4)},
     .shapes = corpus_short},
    {.kernel = "dense_branches",
     .args = {IN_N(U8, GEN_RANDOM, 16), IN(U32, GEN_PERM), OUT_N(U8, 32)},
     .shapes = corpus_short},
    {.kernel = "dense_loop",
     .args = {IN_N(U8, GEN_RANDOM, 4), IN(U32, GEN_PERM), OUT_N(U8, 8), VALUE(U32, 11)},
     .shapes = corpus_short},
    {.kernel = "dense_packed",
     .args = {{ARG_IN, U8, GEN_RANDOM, 16, 16, 0, NULL}, OUT_N(U8, 24)},
     .shapes = corpus_short},
    {.kernel = "dense_uniform",
     .args = {IN_N(U16, GEN_RANDOM, 4), STRUCT(given), OUT_N(U16, 4)},
     .shapes = corpus_short},
};

/* ---- dense_large.cl ---- */

#define LARGE(name, TYPE, N, scale)                                                                \
    {.kernel = name,                                                                               \
     .args = {IN_N(TYPE, GEN_SMALL, N), IN_N(TYPE, GEN_SMALL, N), OUT_N(TYPE, N),                  \
              VALUE(TYPE, scale)},                                                                 \
     .shapes = corpus_short}

static const struct corpus_case dense_large[] = {
    LARGE("dense_float2", F32, 2, 0x40000000),
    LARGE("dense_float4", F32, 4, 0xbfc00000),
    LARGE("dense_float8", F32, 8, 0x3e800000),
    LARGE("dense_int4", I32, 4, 7),
    LARGE("dense_uint16", U32, 16, 9),
    LARGE("dense_long2", I64, 2, 5),
    {.kernel = "dense_pixels",
     .args = {IN_N(U8, GEN_RANDOM, 4), IN_N(F32, GEN_SMALL, 4), OUT_N(U8, 8),
              VALUE(F32, 0x3f000000)},
     .shapes = corpus_short},
    {.kernel = "dense_functions",
     .args = {IN_N(F32, GEN_SMALL, 4), IN_N(I32, GEN_RANDOM, 4), OUT_N(F32, 4), OUT_N(I32, 4),
              VALUE(I32, 11)},
     .shapes = corpus_short},
    {.kernel = "dense_places",
     .args = {IN_N(F32, GEN_SMALL, 4), IN(U32, GEN_PERM), OUT_N(F32, 8)},
     .shapes = corpus_short},
    {.kernel = "dense_pairs",
     .args = {IN_N(I32, GEN_RANDOM, 2), IN(U32, GEN_PERM), OUT_N(I32, 4)},
     .shapes = corpus_short},
    {.kernel = "dense_sums",
     .args = {IN_N(F32, GEN_SMALL, 4), IN(U32, GEN_PERM), OUT_N(F32, 4), VALUE(U32, 9)},
     .shapes = corpus_short},
    {.kernel = "dense_orders",
     .args = {IN_N(F32, GEN_SMALL, 4), IN_N(F32, GEN_SMALL, 4), OUT_N(F32, 4)},
     .shapes = corpus_short},
    {.kernel = "dense_dots",
     .args = {IN_N(F32, GEN_SMALL, 4), IN_N(F32, GEN_SMALL, 4), IN_N(F16, GEN_SMALL, 4),
              OUT_N(F32, 4)},
     .shapes = corpus_short},
    {.kernel = "dense_unaligned",
     .args = {IN_N(F32, GEN_SMALL, 8), OUT_N(F32, 8)},
     .shapes = corpus_short},
    {.kernel = "dense_exchange",
     .args = {IN_N(I32, GEN_RANDOM, 4), OUT_N(I32, 4)},
     .shapes = corpus_short},
    {.kernel = "dense_barrier",
     .args = {IN_N(I32, GEN_RANDOM, 4), IN_N(U8, GEN_RANDOM, 16), OUT_N(I32, 4), OUT_N(U8, 16)},
     .shapes = corpus_short},
    {.kernel = "dense_barrier_loop",
     .args = {IN_N(I32, GEN_RANDOM, 4), IN_N(U8, GEN_RANDOM, 16), OUT_N(I32, 4), OUT_N(U8, 16),
              VALUE(U32, 5)},
     .shapes = corpus_short},
};

/* ---- dots.cl ---- */

#define DOTS(name, FIRST, SECOND)                                                                  \
    {.kernel = name,                                                                               \
     .args = {IN_N(FIRST, GEN_EDGE, 4), IN_N(SECOND, GEN_RANDOM, 4), OUT(I32), VALUE(U32, 5)},     \
     .shapes = dot_shapes}

/* At least 6 items, and at most 64 in a group. */
static const struct corpus_shape dot_shapes[] = {SHAPE1(3, 37), SHAPE1(2, 64), SHAPE1(6, 1),
                                                 SHAPE_END};

static const struct corpus_case dots[] = {
    DOTS("dots_signed", I8, I8),
    DOTS("dots_unsigned", U8, U8),
    DOTS("dots_mixed", U8, I8),
    {.kernel = "dots_constants",
     .args = {IN_N(U8, GEN_RANDOM, 4), IN_N(I8, GEN_EDGE, 4), OUT_N(I32, 4)},
     .shapes = dot_shapes},
    {.kernel = "dots_parts",
     .args = {IN_N(I8, GEN_EDGE, 4), IN_N(I8, GEN_RANDOM, 4), OUT_N(I32, 4)},
     .shapes = dot_shapes},
    {.kernel = "dots_shorts",
     .args = {IN_N(I16, GEN_EDGE, 2), IN_N(I16, GEN_EDGE, 4), IN_N(U16, GEN_EDGE, 2),
              OUT_N(I32, 4)},
     .shapes = dot_shapes},
    {.kernel = "dots_vectors",
     .args = {IN_N(U8, GEN_EDGE, 16), IN_N(U8, GEN_RANDOM, 16), IN_N(U8, GEN_RANDOM, 8), OUT(I32)},
     .shapes = dot_shapes},
    {.kernel = "dots_tiles",
     .args = {IN_N(I8, GEN_EDGE, 4), IN_N(I8, GEN_RANDOM, 4), OUT(I32)},
     .shapes = dot_shapes},
};

TOPIC_FILES(layout, CORPUS_FILE("planes", turned), CORPUS_FILE("records", records),
            CORPUS_FILE("dense", dense), CORPUS_FILE("dense_large", dense_large),
            CORPUS_FILE("dots", dots), CORPUS_FILE("row_walks", row_walks));
