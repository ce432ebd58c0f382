/* Corpus of kernels: SPIR-V as DPC++ writes it: kernels/dpcpp.spvasm, with kernels/dpcpp.cl as
 * its reference. */
#include "../corpus.h"
#include "shapes.h"

static const struct {
    uint32_t scale, shift;
} params = {0x10001, 77};

static const struct corpus_shape with_offset[] = {
    SHAPE1(37, 7), SHAPE1(3, 64), {{3, 1, 1}, {20, 1, 1}, {1000, 0, 0}}, SHAPE_END};

static const struct corpus_case dpcpp[] = {
    {.kernel = "raw_argument",
     .args = {IN(U32, GEN_RANDOM), OUT(U32), STRUCT(params)},
     .shapes = with_offset,
     .flags = CORPUS_UNALIGNED},
    {.kernel = "local_neighbours",
     .args = {INOUT(F64, GEN_SMALL), LOCAL_N(8)},
     .shapes = corpus_groups},
};

TOPIC_FILES(dpcpp, CORPUS_FILE("dpcpp", dpcpp));
