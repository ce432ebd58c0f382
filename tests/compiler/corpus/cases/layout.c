/* Corpus of OpenCL C kernels: how what items touch lies in memory. */
#include "../corpus.h"
#include "shapes.h"

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
    {.kernel = "record_float3",
     .args = {IN(U32, GEN_PERM), IN_N(F32, GEN_SMALL, 4), OUT(F32)},
     .shapes = even},
};

TOPIC_FILES(layout, CORPUS_FILE("records", records));
