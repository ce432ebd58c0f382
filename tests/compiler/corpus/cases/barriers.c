/* Corpus of OpenCL C kernels: barriers and local memory. */
#include "../corpus.h"
#include "shapes.h"

#define INTS       IN(I32, GEN_RANDOM), OUT(I32)
#define INTS_LOCAL IN(I32, GEN_RANDOM), OUT(I32), LOCAL_N(4)

static const struct corpus_shape powers[] = {SHAPE1(3, 2), SHAPE1(2, 16), SHAPE1(3, 64),
                                             SHAPE1(1, 256), SHAPE_END};
static const struct corpus_shape large[] = {SHAPE1(2, 256), SHAPE1(2, 77), SHAPE1(3, 24),
                                            SHAPE1(5, 3), SHAPE_END};
static const struct corpus_shape tiles[] = {
    {{3, 2, 1}, {8, 8, 1}, {0, 0, 0}}, {{1, 1, 1}, {8, 8, 1}, {0, 0, 0}}, SHAPE_END};
static const struct corpus_shape square[] = {
    {{2, 2, 1}, {8, 8, 1}, {0, 0, 0}}, {{5, 5, 1}, {8, 8, 1}, {0, 0, 0}}, SHAPE_END};
static const struct corpus_shape cubes[] = {{{2, 3, 2}, {3, 2, 5}, {0, 0, 0}},
                                            {{2, 1, 2}, {17, 3, 2}, {0, 0, 0}},
                                            {{1, 2, 1}, {8, 4, 1}, {0, 0, 0}},
                                            {{2, 2, 2}, {1, 7, 2}, {0, 0, 0}},
                                            SHAPE_END};
static const struct corpus_shape sixteen[] = {SHAPE1(3, 16), SHAPE_END};
static const struct corpus_shape up_to_64[] = {SHAPE1(3, 1), SHAPE1(3, 5), SHAPE1(2, 33),
                                               SHAPE1(3, 64), SHAPE_END};

static const struct corpus_case barriers[] = {
    {.kernel = "reverse", .args = {INTS_LOCAL}, .shapes = corpus_groups},
    {.kernel = "first_and_last", .args = {INTS_LOCAL}, .shapes = corpus_groups},
    {.kernel = "several", .args = {INTS_LOCAL}, .shapes = large},
    {.kernel = "in_loop", .args = {INTS_LOCAL, VALUE(I32, 7)}, .shapes = corpus_groups},
    {.kernel = "in_loop_from_memory",
     .args = {IN(I32, GEN_RANDOM), IN_ALL(U32, GEN_RANDOM, 8), OUT(I32), LOCAL_N(4)},
     .shapes = corpus_groups},
    {.kernel = "in_nested_loops",
     .args = {INTS_LOCAL, VALUE(I32, 3), VALUE(I32, 4)},
     .shapes = corpus_groups},
    {.kernel = "in_do_while", .args = {INTS_LOCAL}, .shapes = large},
    {.kernel = "in_endless_loop", .args = {INTS_LOCAL, VALUE(I32, 5)}, .shapes = corpus_groups},
    {.kernel = "loop_exit_between", .args = {INTS_LOCAL}, .shapes = corpus_groups},
    {.kernel = "under_uniform_branch",
     .args = {INTS_LOCAL, VALUE(I32, 1)},
     .shapes = corpus_groups},
    {.kernel = "in_both_branches", .args = {INTS_LOCAL}, .shapes = corpus_groups},
    {.kernel = "in_uniform_switch", .args = {INTS_LOCAL, VALUE(I32, 2)}, .shapes = corpus_groups},
    {.kernel = "in_called_function", .args = {INTS_LOCAL}, .shapes = corpus_groups},
    {.kernel = "in_called_noinline_function", .args = {INTS_LOCAL}, .shapes = corpus_groups},
    {.kernel = "called_in_loop", .args = {INTS_LOCAL, VALUE(I32, 3)}, .shapes = corpus_groups},
    {.kernel = "live_values", .args = {INTS_LOCAL}, .shapes = corpus_groups},
    {.kernel = "private_array_across", .args = {INTS_LOCAL}, .shapes = corpus_groups},
    {.kernel = "divergence_between", .args = {INTS_LOCAL}, .shapes = corpus_groups},
    {.kernel = "reduce_tree",
     .args = {IN(I32, GEN_RANDOM), OUT_ALL(I32, 5), LOCAL_N(4)},
     .shapes = large},
    {.kernel = "scan_inclusive", .args = {INTS_LOCAL, LOCAL_N(4)}, .shapes = large},
    {.kernel = "scan_by_doubling", .args = {INTS_LOCAL}, .shapes = large},
    {.kernel = "scan_of_segments", .args = {INTS_LOCAL}, .shapes = large},
    {.kernel = "neighbours_behind", .args = {INTS_LOCAL}, .shapes = large},
    {.kernel = "neighbours_in_front", .args = {INTS_LOCAL}, .shapes = large},
    {.kernel = "sort_bitonic",
     .args = {IN(U32, GEN_RANDOM), OUT(U32), LOCAL_N(4)},
     .shapes = powers},
    {.kernel = "sort_odd_even",
     .args = {IN(U32, GEN_RANDOM), OUT(U32), LOCAL_N(4)},
     .shapes = large},
    {.kernel = "stencil_halo",
     .args = {IN(F32, GEN_SMALL), OUT(F32), {ARG_LOCAL, BYTES, GEN_ZERO, 4, 8, 0, 0}},
     .shapes = corpus_groups},
    {.kernel = "first_items", .args = {INTS_LOCAL}, .shapes = corpus_groups},
    {.kernel = "first_of_rows", .args = {INTS}, .shapes = cubes},
    {.kernel = "handed_on", .args = {INTS_LOCAL, VALUE(I32, 3)}, .shapes = corpus_groups},
    {.kernel = "transpose_tile", .args = {INTS}, .shapes = tiles},
    {.kernel = "cube", .args = {INTS}, .shapes = cubes},
    {.kernel = "global_fence", .args = {INOUT(I32, GEN_RANDOM), OUT(I32)}, .shapes = corpus_groups},
    {.kernel = "histogram_local",
     .args = {IN(U32, GEN_RANDOM), OUT_ALL(U32, 5 * 16), LOCAL(16 * 4)},
     .shapes = large},
    {.kernel = "required_size", .args = {INTS}, .shapes = sixteen},
    {.kernel = "required_size_first",
     .args = {IN(U32, GEN_RANDOM), OUT(U32), OUT(U8)},
     .shapes = sixteen},
    {.kernel = "broadcast_uniform", .args = {INTS}, .shapes = corpus_groups},
    {.kernel = "loop_induction_live", .args = {INTS_LOCAL}, .shapes = corpus_groups},
};

static const struct corpus_case local[] = {
    {.kernel = "static_scalar", .args = {INTS}, .shapes = corpus_groups},
    {.kernel = "static_arrays", .args = {INTS}, .shapes = corpus_groups},
    {.kernel = "static_structs", .args = {INTS}, .shapes = corpus_groups},
    {.kernel = "argument_two", .args = {INTS, LOCAL_N(2), LOCAL_N(8)}, .shapes = corpus_groups},
    {.kernel = "argument_odd_size",
     .args = {IN(U8, GEN_RANDOM), OUT(U8), LOCAL_N(1), LOCAL_N(1), LOCAL_N(16)},
     .shapes = corpus_groups},
    {.kernel = "argument_and_static", .args = {INTS_LOCAL}, .shapes = corpus_groups},
    {.kernel = "through_function", .args = {INTS_LOCAL}, .shapes = corpus_groups},
    {.kernel = "vector_alignment", .args = {IN(F32, GEN_SMALL), OUT(F32)}, .shapes = up_to_64},
    {.kernel = "pointer_in_loop", .args = {INTS_LOCAL}, .shapes = corpus_groups},
    {.kernel = "matmul",
     .args = {IN(F32, GEN_SMALL), IN(F32, GEN_SMALL), OUT(F32)},
     .shapes = square},
};

static const struct corpus_case async[] = {
    {.kernel = "there_and_back_char",
     .args = {IN_N(I8, GEN_RANDOM, 1), OUT_N(I8, 1), LOCAL_N(1)},
     .shapes = corpus_groups},
    {.kernel = "there_and_back_short",
     .args = {IN_N(I16, GEN_RANDOM, 1), OUT_N(I16, 1), LOCAL_N(2)},
     .shapes = corpus_groups},
    {.kernel = "there_and_back_int",
     .args = {IN_N(I32, GEN_RANDOM, 1), OUT_N(I32, 1), LOCAL_N(4)},
     .shapes = corpus_groups},
    {.kernel = "there_and_back_double",
     .args = {IN_N(F64, GEN_RANDOM, 1), OUT_N(F64, 1), LOCAL_N(8)},
     .shapes = corpus_groups},
    {.kernel = "there_and_back_char2",
     .args = {IN_N(I8, GEN_RANDOM, 2), OUT_N(I8, 2), LOCAL_N(2)},
     .shapes = corpus_groups},
    {.kernel = "there_and_back_short8",
     .args = {IN_N(I16, GEN_RANDOM, 8), OUT_N(I16, 8), LOCAL_N(16)},
     .shapes = corpus_groups},
    {.kernel = "there_and_back_float4",
     .args = {IN_N(F32, GEN_RANDOM, 4), OUT_N(F32, 4), LOCAL_N(16)},
     .shapes = corpus_groups},
    {.kernel = "there_and_back_long16",
     .args = {IN_N(I64, GEN_RANDOM, 16), OUT_N(I64, 16), LOCAL_N(128)},
     .shapes = corpus_groups},
    {.kernel = "strided",
     .args = {IN_N(I32, GEN_RANDOM, 3), OUT_N(I32, 2), LOCAL_N(4)},
     .shapes = corpus_groups},
    {.kernel = "strided_vectors",
     .args = {IN_N(I32, GEN_RANDOM, 8), OUT_N(I32, 4), LOCAL_N(16)},
     .shapes = corpus_groups},
    {.kernel = "in_flight",
     .args = {IN(I32, GEN_RANDOM), IN(I32, GEN_RANDOM), OUT(I32), LOCAL_N(12)},
     .shapes = corpus_groups},
    {.kernel = "plane", .args = {INTS_LOCAL}, .shapes = square},
};

/* Undefined in OpenCL: an item that has returned does nothing more, others meet without it. */
static void expect_beyond(struct corpus_run *run)
{
    const uint32_t *in = (const void *)run->memory[0];
    uint32_t *out = (void *)run->memory[1];
    for (uint32_t i = 0; i < run->items; i++) {
        bool second = i % run->shape->local[0] > 0 && i % 50 > 0;
        if (i % 50 < 37) {
            out[i] = in[i] + (second ? in[i - 1] : 5);
        }
    }
}

static void expect_word(struct corpus_run *run)
{
    const uint32_t *in = (const void *)run->memory[0];
    uint32_t *out = (void *)run->memory[1];
    for (uint32_t i = 0; i < run->items; i++) {
        out[i] = in[i] & 1 ? 0 - (in[i] & 0xFF) : (in[i] & 0xFF) * 3 + i;
    }
}

static void expect_one_by_one(struct corpus_run *run)
{
    enum { TURNS = 4 };
    const uint32_t *in = (const void *)run->memory[0];
    uint32_t *out = (void *)run->memory[1];
    for (uint32_t i = 0; i < run->items; i++) {
        uint32_t sum = in[i] & 0xFFF, last = i % run->shape->local[0] % (TURNS + 1);
        for (uint32_t turn = 0; turn < last; turn++) {
            sum += sum + turn;
        }
        out[i] = last < TURNS ? sum : 0 - sum;
    }
}

static void expect_rows(struct corpus_run *run)
{
    const uint32_t *in = (const void *)run->memory[0];
    uint32_t *out = (void *)run->memory[1];
    const struct corpus_shape *shape = run->shape;
    for (uint32_t i = 0; i < run->items; i++) {
        uint32_t row = i / (shape->groups[0] * shape->local[0]);
        uint32_t y = row % (shape->groups[1] * shape->local[1]) % shape->local[1];
        out[i] = y % 2 ? 1 : in[i] * 2;
    }
}

static void expect_past(struct corpus_run *run)
{
    const uint32_t *in = (const void *)run->memory[0];
    uint32_t *out = (void *)run->memory[1];
    for (uint32_t i = 0; i < run->items; i++) {
        uint32_t value = in[i] & 0xFFFF;
        out[i] = in[i] & 2 ? value * 6 : (value ^ 0x55) + 7;
    }
}

static uint32_t sum_counted(uint32_t rest)
{
    uint32_t sum = 0;
    for (; rest > 9; rest /= 3) {
        sum += rest & 0xFF;
    }
    return sum;
}

static void expect_past_or_count(struct corpus_run *run)
{
    const uint32_t *in = (const void *)run->memory[0];
    uint32_t *out = (void *)run->memory[1];
    for (uint32_t i = 0; i < run->items; i++) {
        out[i] = in[i] & 2 ? i % run->shape->local[0] * 5 : sum_counted(in[i]);
    }
}

static void expect_count_or_past(struct corpus_run *run)
{
    const uint32_t *in = (const void *)run->memory[0];
    uint32_t *out = (void *)run->memory[1];
    for (uint32_t i = 0; i < run->items; i++) {
        out[i] = in[i] & 2 ? sum_counted(in[i]) : i % run->shape->local[0] * 5;
    }
}

static const struct corpus_case returns[] = {
    {.kernel = "return_beyond",
     .args = {IN(I32, GEN_RANDOM), INOUT(I32, GEN_RANDOM), LOCAL_N(4), VALUE(U32, 37)},
     .shapes = corpus_groups,
     .flags = CORPUS_NO_POCL,
     .expect = expect_beyond},
    {.kernel = "return_with_a_word",
     .args = {INTS_LOCAL},
     .shapes = corpus_groups,
     .flags = CORPUS_NO_POCL,
     .expect = expect_word},
    {.kernel = "return_one_by_one",
     .args = {INTS_LOCAL, VALUE(U32, 4)},
     .shapes = corpus_groups,
     .flags = CORPUS_NO_POCL,
     .expect = expect_one_by_one},
    {.kernel = "return_rows",
     .args = {INTS_LOCAL},
     .shapes = corpus_cube,
     .flags = CORPUS_NO_POCL,
     .expect = expect_rows},
    {.kernel = "go_past",
     .args = {INTS_LOCAL},
     .shapes = corpus_groups,
     .flags = CORPUS_NO_POCL,
     .expect = expect_past},
    {.kernel = "go_past_or_count",
     .args = {INTS_LOCAL},
     .shapes = corpus_groups,
     .flags = CORPUS_NO_POCL,
     .expect = expect_past_or_count},
    {.kernel = "count_or_go_past",
     .args = {INTS_LOCAL},
     .shapes = corpus_groups,
     .flags = CORPUS_NO_POCL,
     .expect = expect_count_or_past},
};

static const struct corpus_case repeated[] = {
    {.kernel = "row_again", .args = {INTS_LOCAL}, .shapes = corpus_groups},
    {.kernel = "row_written",
     .args = {INOUT(I32, GEN_RANDOM), OUT(I32), LOCAL_N(4)},
     .shapes = corpus_groups},
    {.kernel = "own_row_written",
     .args = {INOUT_N(I32, GEN_RANDOM, 8), OUT(I32), VALUE(U32, 5)},
     .shapes = corpus_groups},
    {.kernel = "inner_again",
     .args = {IN_ALL(I32, GEN_RANDOM, 32), IN(U32, GEN_RANDOM), OUT(I32), VALUE(U32, 6)},
     .shapes = corpus_groups},
    {.kernel = "inner_sometimes",
     .args = {IN_ALL(I32, GEN_RANDOM, 32), OUT(I32)},
     .shapes = corpus_groups},
    {.kernel = "inner_never",
     .args = {IN_ALL(I32, GEN_RANDOM, 32), OUT(I32), VALUE(U32, 0x40000000)},
     .shapes = corpus_groups},
    {.kernel = "nearly_again",
     .args = {IN_ALL(I32, GEN_RANDOM, 32), OUT(I32), VALUE(U32, 32)},
     .shapes = corpus_groups},
};

static const struct corpus_case patterns[] = {
    {.kernel = "by_constants", .args = {INTS}, .shapes = corpus_groups},
    {.kernel = "some_lanes", .args = {INTS}, .shapes = corpus_groups},
    {.kernel = "shared_cells", .args = {INTS}, .shapes = corpus_groups},
    {.kernel = "exchange", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = corpus_groups},
    {.kernel = "any_distance",
     .args = {IN(U32, GEN_RANDOM), OUT(U32), VALUE(U32, 16), VALUE(U32, 8), VALUE(U32, 6)},
     .shapes = corpus_groups},
    {.kernel = "thirds",
     .args = {IN(U32, GEN_RANDOM), OUT(U32), VALUE(U32, 48)},
     .shapes = corpus_groups},
    {.kernel = "tree", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = corpus_groups},
    {.kernel = "pairs", .args = {IN(F32, GEN_SMALL), OUT(F32)}, .shapes = corpus_groups},
    {.kernel = "sizes", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = corpus_groups},
    {.kernel = "offsets_live_on", .args = {INTS, VALUE(I32, 9)}, .shapes = corpus_groups},
    {.kernel = "from_table",
     .args = {IN_ALL(I32, GEN_RANDOM, 512), OUT(I32)},
     .shapes = corpus_groups},
};

static const struct corpus_shape rows[] = {{{1, 1, 1}, {16, 16, 1}, {0, 0, 0}},
                                           {{2, 2, 1}, {8, 16, 1}, {0, 0, 0}},
                                           {{1, 2, 1}, {19, 9, 1}, {0, 0, 0}},
                                           {{1, 1, 1}, {32, 5, 1}, {0, 0, 0}},
                                           SHAPE_END};

static const struct corpus_case tiles_of_rows[] = {
    {.kernel = "pairs_agree", .args = {INTS}, .shapes = rows},
    {.kernel = "some_rows_return", .args = {INTS, VALUE(I32, 1)}, .shapes = rows},
    {.kernel = "asked_twice", .args = {INTS}, .shapes = rows},
    {.kernel = "rows_turn_apart", .args = {INTS}, .shapes = rows},
    {.kernel = "between_barriers", .args = {INTS}, .shapes = rows},
};

TOPIC_FILES(barriers, CORPUS_FILE("barriers", barriers), CORPUS_FILE("local", local),
            CORPUS_FILE("async", async), CORPUS_FILE("returns", returns),
            CORPUS_FILE("repeated", repeated), CORPUS_FILE("patterns", patterns),
            CORPUS_FILE("tiles", tiles_of_rows));
