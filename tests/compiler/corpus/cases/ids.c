/* Corpus of OpenCL C kernels: work-item functions in one to three dimensions. */
#include <string.h>

#include "../corpus.h"
#include "shapes.h"

static const struct corpus_shape wide[] = {SHAPE1(3, 10),
                                           {{3, 2, 1}, {5, 3, 1}, {0, 0, 0}},
                                           {{2, 3, 2}, {3, 2, 5}, {0, 0, 0}},
                                           {{1, 4, 1}, {33, 1, 2}, {0, 0, 0}},
                                           {{1, 1, 5}, {1, 16, 3}, {0, 0, 0}},
                                           SHAPE_END};

/* Rows of one and of several aligned blocks, and of parts of one. */
static const struct corpus_shape rows[] = {SHAPE1(3, 10),
                                           SHAPE1(2, 128),
                                           SHAPE1(2, 200),
                                           {{1, 2, 1}, {48, 2, 1}, {0, 0, 0}},
                                           {{2, 1, 1}, {64, 1, 2}, {3, 0, 0}},
                                           SHAPE_END};
static const struct corpus_shape required[] = {{{2, 3, 1}, {32, 2, 1}, {0, 0, 0}}, SHAPE_END};

/* Ids and offsets are 0, sizes and counts 1 in a dimension that there is not (pocl 3.1 gives other
 * sizes). */
static void expect_out_of_range(struct corpus_run *run)
{
    static const uint64_t values[7] = {0, 0, 0, 1, 1, 1, 0};
    for (size_t i = 0; i < run->items; i++) {
        memcpy(run->memory[0] + i * sizeof(values), values, sizeof(values));
    }
}

static const struct corpus_case ids[] = {
    {.kernel = "ids", .args = {OUT_N(U32, 9)}, .shapes = corpus_cube},
    {.kernel = "sizes", .args = {OUT_N(U32, 12)}, .shapes = corpus_cube},
    {.kernel = "out_of_range",
     .args = {OUT_N(U64, 7), VALUE(U32, 3)},
     .shapes = corpus_cube,
     .flags = CORPUS_NO_POCL,
     .expect = expect_out_of_range},
    {.kernel = "dynamic_dimension", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = corpus_cube},
    {.kernel = "linear", .args = {OUT_N(U32, 2)}, .shapes = corpus_cube},
    {.kernel = "id_arithmetic", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = corpus_cube},
    {.kernel = "id_int", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = wide},
    {.kernel = "id_reversed", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = wide},
    {.kernel = "ids_apart", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = rows},
    {.kernel = "ids_apart_required", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = required},
};

TOPIC_FILES(ids, CORPUS_FILE("ids", ids));
