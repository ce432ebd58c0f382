/* Work-item functions in one to three dimensions. */
#include "../corpus.h"
#include "shapes.h"

static const struct corpus_shape wide[] = {SHAPE1(3, 10),
                                           {{3, 2, 1}, {5, 3, 1}, {0, 0, 0}},
                                           {{2, 3, 2}, {3, 2, 5}, {0, 0, 0}},
                                           {{1, 4, 1}, {33, 1, 2}, {0, 0, 0}},
                                           {{1, 1, 5}, {1, 16, 3}, {0, 0, 0}},
                                           SHAPE_END};

static const struct corpus_case ids[] = {
    {.kernel = "ids", .args = {OUT_N(U32, 9)}, .shapes = corpus_cube},
    {.kernel = "sizes", .args = {OUT_N(U32, 12)}, .shapes = corpus_cube},
    {.kernel = "out_of_range", .args = {OUT_N(U64, 7), VALUE(U32, 3)}, .shapes = corpus_cube},
    {.kernel = "dynamic_dimension", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = corpus_cube},
    {.kernel = "linear", .args = {OUT_N(U32, 2)}, .shapes = corpus_cube},
    {.kernel = "id_arithmetic", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = corpus_cube},
    {.kernel = "id_int", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = wide},
    {.kernel = "id_reversed", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = wide},
};

TOPIC_FILES(ids, CORPUS_FILE("ids", ids));
