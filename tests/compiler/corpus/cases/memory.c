/* Corpus of OpenCL C kernels: structs, arrays and pointers. */
#include "../corpus.h"
#include "shapes.h"

/* The structs of kernels/memory.cl as arguments. */
struct point {
    float x, y;
    int32_t tag;
};

static const struct point point = {1.5f, -3.0f, 17};
static const struct {
    int8_t kind;
    struct point at[3];
    int16_t flags[5];
    uint8_t code[4];
    double weight;
} nested = {7,
            {{1.0f, 2.0f, 3}, {4.0f, 5.0f, 6}, {7.0f, 8.0f, 9}},
            {10, -20, 30, -40, 50},
            {1, 2, 3, 250},
            0.125};

static const struct corpus_shape list[] = {SHAPE1(10, 7), SHAPE1(3, 64), SHAPE_END};
static const struct corpus_shape many[] = {SHAPE1(41, 7), SHAPE1(4, 64), SHAPE1(2, 1),
                                           SHAPE1(3, 23), SHAPE_END};

static const struct corpus_case memory[] = {
    {.kernel = "struct_read", .args = {IN_N(U32, GEN_SMALL, 3), OUT(F32)}, .shapes = corpus_short},
    {.kernel = "struct_write",
     .args = {IN(F32, GEN_RANDOM), OUT_N(U32, 3)},
     .shapes = corpus_short},
    {.kernel = "struct_copy",
     .args = {IN_N(U32, GEN_RANDOM, 3), OUT_N(U32, 3)},
     .shapes = corpus_short},
    {.kernel = "struct_nested", .args = {IN(U32, GEN_RANDOM), OUT_N(U32, 2)}, .shapes = many},
    {.kernel = "struct_packed",
     .args = {IN(I32, GEN_RANDOM), OUT_N(BYTES, 15)},
     .shapes = corpus_short},
    {.kernel = "struct_wide", .args = {IN(F32, GEN_RANDOM), OUT_N(F32, 4)}, .shapes = corpus_short},
    {.kernel = "struct_argument", .args = {STRUCT(point), OUT(F32)}, .shapes = corpus_short},
    {.kernel = "struct_argument_indexed",
     .args = {STRUCT(nested), OUT(F32)},
     .shapes = corpus_short},
    {.kernel = "array_private", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = many},
    {.kernel = "array_private_write", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = many},
    {.kernel = "array_private_rows", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = many},
    {.kernel = "array_private_sizes", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = many},
    {.kernel = "array_2d", .args = {IN(F32, GEN_SMALL), OUT(F32)}, .shapes = many},
    {.kernel = "array_of_structs", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = many},
    {.kernel = "array_of_vectors", .args = {IN(F32, GEN_RANDOM), OUT_N(F32, 4)}, .shapes = many},
    {.kernel = "constant_table", .args = {IN(U32, GEN_RANDOM), OUT(I32)}, .shapes = corpus_short},
    {.kernel = "constant_structs",
     .args = {IN(U32, GEN_RANDOM), OUT_N(F32, 4)},
     .shapes = corpus_short},
    {.kernel = "constant_argument",
     .args = {IN_ALL(F32, GEN_SMALL, 16), IN(U32, GEN_RANDOM), OUT(F32)},
     .shapes = corpus_short},
    {.kernel = "pointer_select",
     .args = {IN(I32, GEN_RANDOM), IN(I32, GEN_RANDOM), OUT(I32)},
     .shapes = corpus_short},
    {.kernel = "pointer_walk", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = corpus_short},
    {.kernel = "pointer_private", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = many},
    {.kernel = "pointer_to_pointer", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = many},
    {.kernel = "pointers_in_array",
     .args = {INOUT(I32, GEN_RANDOM), INOUT(I32, GEN_RANDOM), INOUT(I32, GEN_RANDOM)},
     .shapes = many},
    {.kernel = "bytes_of_words",
     .args = {IN(U32, GEN_RANDOM), OUT_N(U8, 4)},
     .shapes = corpus_short},
    {.kernel = "words_of_bytes",
     .args = {IN_N(U8, GEN_RANDOM, 4), OUT(U32)},
     .shapes = corpus_short},
    {.kernel = "private_bytes", .args = {IN(F64, GEN_RANDOM), OUT_N(U32, 2)}, .shapes = many},
    {.kernel = "linked_list", .args = {IN(U32, GEN_PERM), OUT(U32)}, .shapes = list},
    {.kernel = "scatter",
     .args = {IN(U32, GEN_PERM), IN(F32, GEN_RANDOM), OUT(F32)},
     .shapes = corpus_flat},
    {.kernel = "gather_strided",
     .args = {IN_N(F32, GEN_SMALL, 3), OUT(F32), VALUE(U32, 5)},
     .shapes = corpus_flat},
    {.kernel = "store_divergent",
     .args = {IN(I32, GEN_RANDOM), OUT_N(I32, 2)},
     .shapes = corpus_flat},
    {.kernel = "uniform_store",
     .args = {IN(I32, GEN_RANDOM), {ARG_OUT, I32, GEN_ZERO, 1, 1, 0, 0}},
     .shapes = corpus_short},
    {.kernel = "volatile_access", .args = {INOUT(I32, GEN_RANDOM), OUT(I32)}, .shapes = many},
};

/* pocl 3.1 has no generic address space: these are what kernels/generic.cl says, in C. */
static void expect_spaces(struct corpus_run *run)
{
    const uint32_t *in = (const void *)run->memory[0];
    uint32_t *out = (void *)run->memory[1];
    for (uint32_t i = 0; i < run->items; i++) {
        out[3 * i] = in[i] + 2 * (in[i] + 1) + 3 * (in[i] + 2) + 4 * (in[i] + 3);
        out[3 * i + 1] = 11 * 2 + 22 * 3 + 33 * 4;
        out[3 * i + 2] = in[0] + 2 * in[1] + 3 * in[2];
    }
}

static void expect_select(struct corpus_run *run)
{
    uint32_t *in = (void *)run->memory[0], *out = (void *)run->memory[1];
    for (uint32_t i = 0; i < run->items; i++) {
        uint32_t first = i;
        uint32_t *p = i % 3 ? &first : in + i;
        *p += 5;
        out[i] = *p * 2 - i;
    }
}

static void expect_write(struct corpus_run *run)
{
    uint32_t *data = (void *)run->memory[0];
    const int32_t *by = (const void *)run->memory[1];
    for (uint32_t i = 0; i < run->items; i++) {
        int32_t product = by[i] > 0 ? (int32_t)((uint32_t)by[i] * (1 + (uint32_t)by[i])) : by[i];
        data[i] += product > 0 ? (uint32_t)product : 0;
    }
}

static void expect_vectors(struct corpus_run *run)
{
    const float *in = (const void *)run->memory[0];
    float *out = (void *)run->memory[1];
    for (size_t i = 0; i < 4 * run->items; i++) {
        out[i] = in[i] + (float)(4 - i % 4);
    }
}

static void expect_rows(struct corpus_run *run)
{
    const uint32_t *in = (const void *)run->memory[0];
    uint32_t *out = (void *)run->memory[1];
    for (uint32_t i = 0; i < run->items; i++) {
        out[2 * i] = i % run->shape->local[0] >= 3 ? in[i - 3] * 3 : 0;
        out[2 * i + 1] = in[i];
    }
}

static void expect_kinds(struct corpus_run *run)
{
    const uint32_t *in = (const void *)run->memory[0];
    uint32_t *out = (void *)run->memory[1];
    for (uint32_t i = 0; i < run->items; i++) {
        out[i] = i % 3 == 0 ? i + 4 : i % 3 == 1 ? 7 * i + 2 : in[i] + 1;
    }
}

/* CLK_LOCAL_MEM_FENCE is 1, CLK_GLOBAL_MEM_FENCE 2. */
static void expect_fences(struct corpus_run *run)
{
    const uint32_t *in = (const void *)run->memory[0];
    uint32_t *out = (void *)run->memory[1];
    for (uint32_t i = 0; i < run->items; i++) {
        out[3 * i] = 1;
        out[3 * i + 1] = 2;
        out[3 * i + 2] = in[i] + (in[i] & 1 ? 2 : 1);
    }
}

static const struct corpus_case generic[] = {
    {.kernel = "generic_rows",
     .args = {IN(I32, GEN_RANDOM), OUT_N(I32, 2)},
     .shapes = corpus_groups,
     .flags = CORPUS_NO_POCL,
     .expect = expect_rows},
    {.kernel = "generic_kinds",
     .args = {IN(I32, GEN_RANDOM), OUT(I32)},
     .shapes = corpus_groups,
     .flags = CORPUS_NO_POCL,
     .expect = expect_kinds},
    {.kernel = "generic_fences",
     .args = {IN(I32, GEN_RANDOM), OUT_N(I32, 3)},
     .shapes = corpus_groups,
     .flags = CORPUS_NO_POCL,
     .expect = expect_fences},
    {.kernel = "generic_spaces",
     .args = {{ARG_IN, I32, GEN_RANDOM, 1, 3, 0, 0}, OUT_N(I32, 3)},
     .shapes = corpus_groups,
     .flags = CORPUS_NO_POCL,
     .expect = expect_spaces},
    {.kernel = "generic_select",
     .args = {INOUT(I32, GEN_RANDOM), OUT(I32)},
     .shapes = many,
     .flags = CORPUS_NO_POCL,
     .expect = expect_select},
    {.kernel = "generic_write",
     .args = {INOUT(I32, GEN_RANDOM), IN(I32, GEN_RANDOM)},
     .shapes = many,
     .flags = CORPUS_NO_POCL,
     .expect = expect_write},
    {.kernel = "generic_vectors",
     .args = {IN_N(F32, GEN_RANDOM, 4), OUT_N(F32, 4)},
     .shapes = corpus_short,
     .flags = CORPUS_NO_POCL,
     .expect = expect_vectors},
};

/* kernels/decorated.spvasm says it with a decoration or types of its own, kernels/decorated.cl in
 * OpenCL C. */
static const struct corpus_case decorated[] = {
    {.kernel = "volatile_uniform",
     .args = {IN_ALL(I32, GEN_RANDOM, 2), INOUT(I32, GEN_RANDOM)},
     .shapes = corpus_short},
    {.kernel = "vector_of_one", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = corpus_short},
};

static const struct corpus_case wraps[] = {
    {.kernel = "wraps_cancel",
     .args = {IN(I32, GEN_RANDOM), OUT_N(I32, 3), VALUE(U32, 0xFFFFFFFBu), VALUE(U32, 4)},
     .shapes = corpus_short},
    {.kernel = "wraps_hidden",
     .args = {IN(I32, GEN_RANDOM), OUT_N(I32, 3), VALUE(U32, 0xFFFFFFFBu), VALUE(U32, 4)},
     .shapes = corpus_short},
    {.kernel = "wraps_made_up",
     .args = {IN(I32, GEN_RANDOM), OUT_N(I32, 2), VALUE(U32, 0xFFFFFFFBu)},
     .shapes = corpus_short},
    {.kernel = "wraps_every_step",
     .args = {IN(I32, GEN_RANDOM), OUT(I32), VALUE(U32, 1)},
     .shapes = corpus_short},
    {.kernel = "wraps_never",
     .args = {{ARG_IN, I32, GEN_RANDOM, 1, 3, 0, 0},
              {ARG_OUT, I32, GEN_ZERO, 2, 3, 0, 0},
              VALUE(I32, 2),
              VALUE(I32, 3)},
     .shapes = corpus_short},
};

static const struct corpus_shape planes_of_pixels[] = {
    {{2, 2, 1}, {16, 4, 1}, {0, 0, 0}}, {{1, 3, 1}, {33, 2, 1}, {0, 0, 0}}, SHAPE_END};

#define CLAMPED(name)                                                                              \
    {.kernel = name,                                                                               \
     .args = {IN(I32, GEN_RANDOM), OUT(I32), VALUE(I32, 5)},                                       \
     .shapes = corpus_groups}

static const struct corpus_case clamps[] = {
    CLAMPED("max_signed"),
    CLAMPED("max_first"),
    CLAMPED("min_signed"),
    CLAMPED("min_unsigned"),
    CLAMPED("max_unsigned"),
    CLAMPED("clamp_signed"),
    CLAMPED("clamp_unsigned"),
    CLAMPED("both"),
    CLAMPED("selected"),
    CLAMPED("selected_far"),
    CLAMPED("other_way"),
    CLAMPED("backwards"),
    CLAMPED("of_longs"),
    CLAMPED("rest_signed"),
    CLAMPED("rest_unsigned"),
    CLAMPED("rest_below_zero"),
    CLAMPED("rest_of_negative"),
    CLAMPED("rest_wraps"),
    CLAMPED("rest_wraps_signed"),
    CLAMPED("rest_backwards"),
    CLAMPED("rest_of_longs"),
    CLAMPED("rest_of_rest"),
    CLAMPED("rest_constant"),
    CLAMPED("masked"),
    CLAMPED("masked_constant"),
    CLAMPED("quotient"),
    CLAMPED("quotient_below_zero"),
    CLAMPED("quotient_wraps"),
    CLAMPED("quotient_and_rest"),
    CLAMPED("in_branches"),
    {.kernel = "blurred",
     .args = {IN(F32, GEN_RANDOM), OUT(F32), VALUE(I32, 30), VALUE(I32, 6)},
     .shapes = planes_of_pixels},
};

#define WINDOW(name)                                                                               \
    {.kernel = name,                                                                               \
     .args = {IN(I32, GEN_RANDOM), OUT(U32), VALUE(I32, 6)},                                       \
     .shapes = corpus_groups}

static const struct corpus_case windows[] = {
    WINDOW("window_int"),
    WINDOW("window_less"),
    WINDOW("window_uint"),
    WINDOW("window_long"),
    WINDOW("window_size"),
    WINDOW("window_saturated"),
    WINDOW("window_selected"),
    WINDOW("window_behind"),
    WINDOW("window_ahead"),
    WINDOW("window_down"),
    WINDOW("window_of_twos"),
    WINDOW("window_not_equal"),
    WINDOW("window_backwards"),
    WINDOW("window_of_pairs"),
    WINDOW("window_to_the_end"),
    WINDOW("window_from_the_start"),
    WINDOW("window_empty"),
    WINDOW("window_of_each"),
    WINDOW("window_wraps"),
    WINDOW("window_weights"),
    WINDOW("window_of_some"),
    WINDOW("window_in_window"),
    {.kernel = "window_of_plane",
     .args = {IN(I32, GEN_RANDOM), OUT(U32), VALUE(I32, 2)},
     .shapes = planes_of_pixels},
};

/* Chunks that start at multiples of W, and others. */
static const struct corpus_shape starts[] = {SHAPE1(3, 5),
                                             SHAPE1(4, 64),
                                             SHAPE1(2, 33),
                                             {{2, 1, 1}, {64, 1, 1}, {5, 0, 0}},
                                             {{2, 1, 1}, {48, 1, 1}, {32, 0, 0}},
                                             SHAPE_END};

#define ALIGNED(name, type)                                                                        \
    {.kernel = name,                                                                               \
     .args = {{ARG_IN, type, GEN_RANDOM, 3, 160, 0, 0}, {ARG_OUT, U32, GEN_ZERO, 1, 64, 0, 0}},    \
     .shapes = starts}

static const struct corpus_case aligned[] = {
    ALIGNED("aligned_pairs", U8),
    ALIGNED("aligned_halves", U8),
    ALIGNED("aligned_halves_signed", U16),
    ALIGNED("aligned_below_zero", U32),
    ALIGNED("aligned_flipped", U32),
    ALIGNED("aligned_twos", U16),
    ALIGNED("aligned_far", U32),
    ALIGNED("aligned_masked", U8),
    {.kernel = "aligned_floats",
     .args = {{ARG_IN, F32, GEN_RANDOM, 3, 160, 0, 0}, {ARG_OUT, F32, GEN_ZERO, 1, 64, 0, 0}},
     .shapes = starts},
    {.kernel = "aligned_vectors",
     .args = {{ARG_IN, U8, GEN_RANDOM, 3, 640, 0, 0}, {ARG_OUT, U32, GEN_ZERO, 1, 64, 0, 0}},
     .shapes = starts},
    {.kernel = "aligned_sums",
     .args = {{ARG_IN, U8, GEN_RANDOM, 4, 640, 0, 0}, {ARG_OUT, U8, GEN_ZERO, 4, 256, 0, 0}},
     .shapes = starts},
    {.kernel = "aligned_colours",
     .args = {{ARG_IN, U8, GEN_RANDOM, 2, 8, 0, 0}, OUT(U32)},
     .shapes = planes_of_pixels},
};

static const struct corpus_case unrolled[] = {
    {.kernel = "unrolled_triangle", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = many},
    {.kernel = "unrolled_network", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = many},
    {.kernel = "unrolled_insertion", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = many},
    {.kernel = "unrolled_jumps",
     .args = {IN(U32, GEN_RANDOM), OUT(U32), VALUE(I32, 7)},
     .shapes = many},
    {.kernel = "unrolled_return", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = many},
    {.kernel = "unrolled_exchange", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = many},
    {.kernel = "unrolled_inside",
     .args = {IN(U32, GEN_RANDOM), OUT(U32), VALUE(I32, 5)},
     .shapes = many},
    {.kernel = "unrolled_partly", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = many},
    {.kernel = "unrolled_pointers", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = many},
    {.kernel = "unrolled_never", .args = {IN(U32, GEN_RANDOM), OUT(U32)}, .shapes = many},
};

static const struct corpus_case tables[] = {
    {.kernel = "table_arguments",
     .args = {IN(U8, GEN_RANDOM), IN_ALL(U8, GEN_RANDOM, 64), IN_ALL(U8, GEN_RANDOM, 256),
              OUT(U32)},
     .shapes = many},
    {.kernel = "table_constants", .args = {IN(U8, GEN_RANDOM), OUT(I32)}, .shapes = many},
    {.kernel = "table_of_vectors",
     .args = {IN_N(U8, GEN_RANDOM, 4), IN_ALL(U8, GEN_RANDOM, 64), OUT_N(U8, 4)},
     .shapes = many},
};

TOPIC_FILES(memory, CORPUS_FILE("memory", memory), CORPUS_FILE("generic", generic),
            CORPUS_FILE("decorated", decorated), CORPUS_FILE("wraps", wraps),
            CORPUS_FILE("clamps", clamps), CORPUS_FILE("windows", windows),
            CORPUS_FILE("aligned", aligned), CORPUS_FILE("unrolled", unrolled),
            CORPUS_FILE("tables", tables));
