/* SPV_INTEL_subgroups: block reads and writes of every width, shuffles with two values, functions
 * that stay imports, at S = 8, 16 and 32. */
#include "program.h"
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GROUPS 2u

static const uint32_t sizes[] = {8, 16, 32};
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void *filled(size_t bytes, uint64_t seed)
{
    unsigned char *data = malloc(bytes);
    struct support_random random = {seed};
    assert_non_null(data);
    for (size_t i = 0; i < bytes; i++) {
        data[i] = (unsigned char)support_random(&random);
    }
    return data;
}

static void same(const char *kernel, const char *what, const void *got, const void *wanted,
                 size_t bytes, size_t element)
{
    for (size_t at = 0; at < bytes; at++) {
        if (((const char *)got)[at] != ((const char *)wanted)[at]) {
            print_error("%s: %s: element %zu differs\n", kernel, what, at / element);
            fail();
        }
    }
}

/* ---- blocks ---- */

/* element + 1, of any width */
static void plus_one(void *to, const void *from, size_t width)
{
    uint64_t value = 0;
    memcpy(&value, from, width);
    value++;
    memcpy(to, &value, width);
}

static void check_block(const struct program *program, const char *type, size_t width,
                        uint32_t count, uint32_t size, uint32_t local)
{
    char kernel[32];
    const struct program_launch launch = {.groups = {GROUPS, 1, 1}, .local = {local, 1, 1}};
    uint32_t subgroups = (local + size - 1) / size;
    size_t blocks = (size_t)GROUPS * subgroups * size * count * width;
    size_t items = (size_t)GROUPS * local * count * width;
    unsigned char *in = filled(blocks, size * count + local);
    unsigned char *lanes = aligned_alloc(128, (items + 127) / 128 * 128), *out = malloc(blocks);
    unsigned char *wanted_lanes = malloc(items), *wanted = malloc(blocks);
    assert_true(lanes && out && wanted_lanes && wanted);
    memset(out, 0x5A, blocks);
    memset(wanted, 0x5A, blocks);
    for (uint32_t i = 0; i < GROUPS * local; i++) {
        uint32_t group = i / local, lane = i % local % size;
        size_t base = (size_t)(group * subgroups + i % local / size) * size * count;
        for (uint32_t c = 0; c < count; c++) {
            size_t at = (base + c * size + lane) * width;
            memcpy(wanted_lanes + (i * count + c) * width, in + at, width);
            plus_one(wanted + at, in + at, width);
        }
    }
    snprintf(kernel, sizeof(kernel), "block_%s_%u_%u", type, count, size);
    const struct program_argument arguments[] = {PROGRAM_POINTER(in), PROGRAM_POINTER(lanes),
                                                 PROGRAM_POINTER(out)};
    program_run(program, kernel, &launch, arguments, 3);
    same(kernel, "what lanes read", lanes, wanted_lanes, items, width);
    same(kernel, "what was written", out, wanted, blocks, width);
    free(in);
    free(lanes);
    free(out);
    free(wanted_lanes);
    free(wanted);
}

static void check_blocks(const struct program *program)
{
    static const char *const types[] = {"uchar", "ushort", "uint", "ulong"};
    for (size_t t = 0; t < 4; t++) {
        for (uint32_t count = 1; count <= (t < 2 ? 16u : 8u); count *= 2) {
            for (size_t s = 0; s < SIZES; s++) {
                check_block(program, types[t], (size_t)1 << t, count, sizes[s], 2 * sizes[s]);
                check_block(program, types[t], (size_t)1 << t, count, sizes[s], sizes[s] + 3);
            }
        }
    }
}

static void check_local_block(const struct program *program)
{
    enum { ITEMS = 32 };
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {ITEMS, 1, 1}};
    _Alignas(16) uint32_t in[2 * ITEMS], out[2 * ITEMS];
    for (uint32_t i = 0; i < 2 * ITEMS; i++) {
        in[i] = i * 7;
    }
    const struct program_argument arguments[] = {PROGRAM_POINTER(in), PROGRAM_POINTER(out),
                                                 PROGRAM_LOCAL(sizeof(in))};
    program_run(program, "local_block", &launch, arguments, 3);
    for (uint32_t i = 0; i < 2 * ITEMS; i++) {
        assert_int_equal(out[i], in[i] + 1);
    }
}

/* ---- shuffles ---- */

static void check_shuffle(const struct program *program, const char *type, size_t bytes,
                          uint32_t size)
{
    enum { ROWS = 6 };
    char kernel[32];
    const uint32_t n = 2 * size;
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {n, 1, 1}};
    unsigned char *in = filled(n * bytes, size), *more = filled(n * bytes, size + bytes);
    unsigned char *out = aligned_alloc(128, (ROWS * n * bytes + 127) / 128 * 128);
    unsigned char *wanted = malloc(ROWS * n * bytes);
    unsigned char *x = aligned_alloc(128, (n * bytes + 127) / 128 * 128);
    unsigned char *y = aligned_alloc(128, (n * bytes + 127) / 128 * 128);
    assert_true(out && wanted && x && y);
    memcpy(x, in, n * bytes);
    memcpy(y, more, n * bytes);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lane = i % size, first = i - lane, deltas[] = {3, 1, lane % 4, lane % 4};
        const unsigned char *from[ROWS] = {x + (first + (lane * 5 + 2) % size) * bytes,
                                           x + (first + (lane ^ 3)) * bytes};
        for (uint32_t r = 2; r < ROWS; r++) {
            uint32_t delta = deltas[r - 2];
            bool down = r % 2 == 0;
            bool inside = down ? lane + delta < size : lane >= delta;
            uint32_t place = (down ? lane + delta : lane + size - delta) % size;
            from[r] = (inside == down ? x : y) + (first + place) * bytes;
        }
        for (uint32_t r = 0; r < ROWS; r++) {
            memcpy(wanted + (r * n + i) * bytes, from[r], bytes);
        }
    }
    snprintf(kernel, sizeof(kernel), "shuffle_%s_%u", type, size);
    const struct program_argument arguments[] = {PROGRAM_POINTER(x), PROGRAM_POINTER(y),
                                                 PROGRAM_POINTER(out)};
    program_run(program, kernel, &launch, arguments, 3);
    same(kernel, "rows", out, wanted, ROWS * n * bytes, bytes);
    free(in);
    free(more);
    free(out);
    free(wanted);
    free(x);
    free(y);
}

static void check_shuffles(const struct program *program)
{
    static const struct {
        const char *type;
        size_t bytes;
    } types[] = {{"uchar", 1}, {"short", 2},   {"float", 4},   {"ulong", 8},
                 {"uint2", 8}, {"float4", 16}, {"ushort8", 16}};
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
        for (size_t s = 0; s < SIZES; s++) {
            check_shuffle(program, types[t].type, types[t].bytes, sizes[s]);
        }
    }
}

static void check_move(const struct program *program, const char *type, size_t bytes)
{
    enum { ITEMS = 16, SIZE = 8 };
    char kernel[32];
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {ITEMS, 1, 1}};
    unsigned char *data = filled(ITEMS * bytes, bytes), *wanted = malloc(2 * ITEMS * bytes);
    unsigned char *in = aligned_alloc(128, 1024), *out = aligned_alloc(128, 2048);
    assert_true(in && out && wanted && 2 * ITEMS * bytes <= 2048);
    memcpy(in, data, ITEMS * bytes);
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t lane = i % SIZE, first = i - lane;
        memcpy(wanted + i * bytes, in + (first + (lane * 5 + 2) % SIZE) * bytes, bytes);
        memcpy(wanted + (ITEMS + i) * bytes, in + (first + (lane ^ 3)) * bytes, bytes);
    }
    snprintf(kernel, sizeof(kernel), "move_%s", type);
    const struct program_argument arguments[] = {PROGRAM_POINTER(in), PROGRAM_POINTER(out)};
    program_run(program, kernel, &launch, arguments, 2);
    same(kernel, "rows", out, wanted, 2 * ITEMS * bytes, bytes);
    free(data);
    free(wanted);
    free(in);
    free(out);
}

static void check_moves(const struct program *program)
{
    static const char *const types[] = {"uchar", "short", "uint", "float"};
    static const size_t sizes_of[] = {1, 2, 4, 4};
    check_move(program, "uint", 4);
    check_move(program, "half", 2);
    check_move(program, "double", 8);
    for (size_t t = 0; t < 4; t++) {
        for (uint32_t count = 2; count <= 16; count *= 2) {
            char vector[16];
            snprintf(vector, sizeof(vector), "%s%u", types[t], count);
            check_move(program, vector, sizes_of[t] * count);
        }
    }
}

static void check_divergent(const struct program *program)
{
    enum { ITEMS = 40, SIZE = 16 };
    const struct program_launch launch = {.groups = {2, 1, 1}, .local = {ITEMS, 1, 1}};
    uint32_t *x = filled(2 * ITEMS * sizeof(uint32_t), 3), out[2 * ITEMS] = {0};
    const struct program_argument arguments[] = {PROGRAM_POINTER(x), PROGRAM_POINTER(out)};
    for (uint32_t i = 0; i < 2 * ITEMS; i += ITEMS) { /* the end of a group is half a sub-group */
        for (uint32_t k = 32; k < ITEMS; k++) {
            x[i + k] |= 1; /* partners of all that shuffle are there */
        }
    }
    program_run(program, "shuffle_divergent", &launch, arguments, 2);
    for (uint32_t i = 0; i < 2 * ITEMS; i++) {
        uint32_t lane = i % ITEMS % SIZE, first = i - lane;
        uint32_t next = x[first + (lane ^ 2)], other = x[first + (lane ^ 1)];
        uint32_t wanted = x[i] & 1   ? next & 1 ? next : 7
                          : lane & 4 ? other & 1 ? out[i] : other * 3
                                     : 5; /* what a lane elsewhere has is undefined */
        assert_int_equal(out[i], wanted);
    }
    free(x);
}

static void check_alignment(const struct program *program)
{
    static const struct {
        const char *kernel;
        uint32_t bytes; /* of an item */
    } kernels[] = {{"aligned_uc4", 4}, {"aligned_us", 2},   {"aligned_us8", 16},
                   {"aligned_ui", 4},  {"aligned_ui8", 32}, {"aligned_ul2", 16}};
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {16, 1, 1}};
    for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
        size_t bytes = 16 * kernels[k].bytes;
        unsigned char *data = filled(bytes + 4, k);
        unsigned char *in = aligned_alloc(64, 576), *out = aligned_alloc(64, 576);
        assert_true(in && out);
        memcpy(in, data, bytes + 4);
        memset(out, 0x5A, 576);
        const struct program_argument arguments[] = {PROGRAM_POINTER(in), PROGRAM_POINTER(out)};
        program_run(program, kernels[k].kernel, &launch, arguments, 2);
        same(kernels[k].kernel, "bytes", out + 16, in + 4, bytes, 1);
        assert_int_equal(out[15], 0x5A);
        assert_int_equal(out[16 + bytes], 0x5A);
        free(data);
        free(in);
        free(out);
    }
}

/* ---- imports ---- */

static void check_imports(const struct program *program)
{
    enum { ITEMS = 20, SIZE = 16 };
    const struct program_launch launch = {.groups = {1, 1, 1}, .local = {ITEMS, 1, 1}};
    int16_t *in = filled(ITEMS * sizeof(int16_t), 7);
    int16_t out[4 * ITEMS];
    const struct program_argument arguments[] = {PROGRAM_POINTER(in), PROGRAM_POINTER(out)};
    program_run(program, "imported", &launch, arguments, 2);
    for (uint32_t first = 0; first < ITEMS; first += SIZE) {
        uint32_t end = first + SIZE < ITEMS ? first + SIZE : ITEMS;
        uint32_t sum = 0;
        uint16_t most = 0;
        int8_t least = INT8_MAX;
        for (uint32_t i = first; i < end; i++) {
            sum += (uint32_t)in[i];
        }
        for (uint32_t i = first; i < end; i++) {
            least = (int8_t)in[i] < least ? (int8_t)in[i] : least;
            assert_int_equal(out[i], (int16_t)sum);
            assert_int_equal(out[ITEMS + i], (int16_t)most);
            assert_int_equal(out[2 * ITEMS + i], least);
            assert_int_equal(out[3 * ITEMS + i], (uint8_t)in[first + 3]);
            most = (uint16_t)in[i] > most ? (uint16_t)in[i] : most;
        }
    }
    free(in);
}

/* SPV-20, SPV-21, SPV-22, SPV-24 */
static void intel_optimised(void **state)
{
    struct program *program = program_build(
        "subgroup_intel_O2", &(struct program_options){.lanes = 16, .optimize = true});
    (void)state;
    check_blocks(program);
    check_local_block(program);
    check_shuffles(program);
    check_moves(program);
    check_divergent(program);
    check_alignment(program);
    check_imports(program);
    program_destroy(program);
}

static void intel_not_optimised(void **state)
{
    struct program *program = program_build(
        "subgroup_intel_O0", &(struct program_options){.lanes = 16, .optimize = false});
    (void)state;
    check_blocks(program);
    check_local_block(program);
    check_shuffles(program);
    check_moves(program);
    check_divergent(program);
    check_alignment(program);
    check_imports(program);
    program_destroy(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intel_optimised),
        cmocka_unit_test(intel_not_optimised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
