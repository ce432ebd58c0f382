/* What OpenCL C 7.5.1 prescribes for length, distance and normalize: no overflow, no loss of
 * precision by underflow, zeros, infinities and NaN. In half, float and double, of one to four
 * components, at 1, 8 and 16 lanes. */
#include "edges.h"
#include "program.h"
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ULPS         8 /* more than each of the three may have */

/* Vectors of four, of which as many components are used as a kernel has; words of edges.def. */
static const char *const vectors[] = {
    "0 0 0 0",         "-0 0 -0 0",       "-0 -0 -0 -0",    "1 0 0 0",          "1 1 1 1",
    "-3 2 -1.5 7",     "max max max max", "-max 1 max min", "norm norm norm 0", "min min min min",
    "-min min 0 -min", "norm 0.25 min 0", "inf 1 2 3",      "inf inf inf inf",  "-inf inf -1 -0",
    "1 -inf -min max", "0 0 0 -inf",      "nan 1 2 3",      "1 2 3 nan",        "inf nan 0 1",
    "nan nan nan nan", "1 inf nan 0",
};
#define VECTORS COUNT(vectors)

static const char *const names[] = {"length", "distance", "normalize"};
enum { LENGTH, DISTANCE, NORMALIZE };

/* ---- kernels: <name><width>(x, y, result) ---- */

static void kernel_write(struct geo_strbuf *all, uint32_t name, uint32_t width, uint32_t k)
{
    uint32_t result = name == NORMALIZE ? width : 1;
    geo_strbuf_printf(
        all,
        "%%k%u = OpFunction %%void None %%signature\n%%x%u = OpFunctionParameter %%g1\n"
        "%%y%u = OpFunctionParameter %%g1\n%%r%u = OpFunctionParameter %%g1\n"
        "%%l%u = OpLabel\n%%d%u = OpLoad %%v3 %%id\n"
        "%%n%u = OpCompositeExtract %%u64 %%d%u 0\n",
        k, k, k, k, k, k, k, k);
    for (const char *p = "xyr"; *p; p++) {
        uint32_t w = *p == 'r' ? result : width;
        geo_strbuf_printf(all,
                          "%%b%c%u = OpBitcast %%g%u %%%c%u\n"
                          "%%a%c%u = OpInBoundsPtrAccessChain %%g%u %%b%c%u %%n%u\n",
                          *p, k, w, *p, k, *p, k, w, *p, k, k);
    }
    geo_strbuf_printf(all,
                      "%%lx%u = OpLoad %%t%u %%ax%u\n%%ly%u = OpLoad %%t%u %%ay%u\n"
                      "%%e%u = OpExtInst %%t%u %%ocl %s %%lx%u",
                      k, width, k, k, width, k, k, result, names[name], k);
    if (name == DISTANCE) {
        geo_strbuf_printf(all, " %%ly%u", k);
    }
    geo_strbuf_printf(all, "\nOpStore %%ar%u %%e%u\nOpReturn\nOpFunctionEnd\n", k, k);
}

static struct program *program_make(enum edge_type type, uint32_t lanes)
{
    struct geo_strbuf all;
    geo_strbuf_init(&all, 0);
    for (uint32_t k = 0; k < 12; k++) {
        geo_strbuf_printf(&all, "OpEntryPoint Kernel %%k%u \"%s%u\" %%id\n", k, names[k / 4],
                          k % 4 + 1);
    }
    geo_strbuf_printf(&all,
                      "OpDecorate %%id BuiltIn GlobalInvocationId\nOpDecorate %%id Constant\n"
                      "%%void = OpTypeVoid\n%%u64 = OpTypeInt 64 0\n%%v3 = OpTypeVector %%u64 3\n"
                      "%%pv3 = OpTypePointer Input %%v3\n%%id = OpVariable %%pv3 Input\n"
                      "%%t1 = OpTypeFloat %u\n",
                      8 * edge_bytes(type));
    for (uint32_t w = 1; w <= 4; w++) {
        if (w > 1) {
            geo_strbuf_printf(&all, "%%t%u = OpTypeVector %%t1 %u\n", w, w);
        }
        geo_strbuf_printf(&all, "%%g%u = OpTypePointer CrossWorkgroup %%t%u\n", w, w);
    }
    geo_strbuf_printf(&all, "%%signature = OpTypeFunction %%void %%g1 %%g1 %%g1\n");
    for (uint32_t k = 0; k < 12; k++) {
        kernel_write(&all, k / 4, k % 4 + 1, k);
    }
    struct geo_ir_module *module = support_assemble(geo_strbuf_text(&all));
    const struct program_options options = {.lanes = lanes, .optimize = true};
    struct program *program = program_build_model(module, &options);
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&all);
    return program;
}

/* ---- what is right ---- */

static long double length_of(const double *v, uint32_t width)
{
    long double sum = 0; /* holds the squares of all doubles */
    for (uint32_t i = 0; i < width; i++) {
        sum += (long double)v[i] * v[i];
    }
    return sqrtl(sum);
}

/* Is a number near to what is exact, in units of the last place of its type? */
static bool is_near(enum edge_type type, double got, long double exact)
{
    static const int digits[] = {11, 24, 53}, least[] = {-24, -149, -1074};
    static const long double most[] = {65504, 0x1.fffffep127L, 0x1.fffffffffffffp1023L};
    int exponent;
    if (exact > most[type] * (1 + ldexpl(1, 1 - digits[type]))) {
        return isinf(got) && got > 0;
    }
    if (isnan(got) || isinf(got)) {
        return false;
    }
    (void)frexpl(exact, &exponent);
    exponent = exponent - digits[type] < least[type] ? least[type] : exponent - digits[type];
    return fabsl(got - exact) <= ldexpl(ULPS, exponent);
}

static bool any_nan(const double *v, uint32_t width)
{
    bool found = false;
    for (uint32_t i = 0; i < width; i++) {
        found |= isnan(v[i]) != 0;
    }
    return found;
}

static bool normalize_fits(enum edge_type type, const double *v, const double *got, uint32_t width)
{
    double u[4];
    bool infinite = false;
    for (uint32_t i = 0; i < width; i++) {
        infinite |= isinf(v[i]) != 0;
    }
    for (uint32_t i = 0; i < width; i++) {
        u[i] = !infinite ? v[i] : isinf(v[i]) ? copysign(1.0, v[i]) : 0.0 * v[i];
    }
    long double length = length_of(u, width);
    for (uint32_t i = 0; i < width; i++) {
        if (any_nan(v, width)) {
            if (!isnan(got[i])) {
                return false;
            }
        } else if (u[i] == 0) { /* of its sign */
            if (got[i] != 0 || signbit(got[i]) != signbit(u[i])) {
                return false;
            }
        } else if (!is_near(type, fabs(got[i]), fabsl(u[i] / length)) ||
                   signbit(got[i]) != signbit(u[i])) {
            return false;
        }
    }
    return true;
}

static bool result_fits(enum edge_type type, uint32_t name, const double *x, const double *y,
                        const double *got, uint32_t width)
{
    double difference[4];
    bool infinite = false;
    if (name == NORMALIZE) {
        return normalize_fits(type, x, got, width);
    }
    for (uint32_t i = 0; i < width; i++) {
        difference[i] = name == DISTANCE ? x[i] - y[i] : x[i];
        infinite |= isinf(difference[i]) != 0;
    }
    if (any_nan(difference, width)) { /* an infinity beside it may count, as in hypot */
        return isnan(got[0]) || (infinite && isinf(got[0]));
    }
    return infinite ? isinf(got[0]) && got[0] > 0
                    : is_near(type, got[0], length_of(difference, width));
}

/* ---- runs ---- */

static _Alignas(128) uint8_t x[VECTORS * VECTORS * 64], y[VECTORS * VECTORS * 64],
    result[VECTORS * VECTORS * 64];

static void vector_read(enum edge_type type, const uint8_t *from, uint32_t width, double *to)
{
    for (uint32_t i = 0; i < width; i++) {
        uint64_t bits = 0;
        memcpy(&bits, from + (size_t)i * edge_bytes(type), edge_bytes(type));
        to[i] = edge_value(type, bits);
    }
}

/* Every vector with every other one. */
static void kernel_run(const struct program *program, enum edge_type type, uint32_t name,
                       uint32_t width)
{
    char kernel[16];
    uint32_t bytes = edge_bytes(type), room = (width == 3 ? 4 : width) * bytes;
    uint32_t given = name == NORMALIZE ? width : 1, given_room = name == NORMALIZE ? room : bytes;
    const struct program_launch launch = {.groups = {VECTORS, 1, 1}, .local = {VECTORS, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(x), PROGRAM_POINTER(y),
                                                 PROGRAM_POINTER(result)};
    for (size_t n = 0; n < VECTORS * VECTORS; n++) {
        uint64_t first[EDGE_LIST_LIMIT], second[EDGE_LIST_LIMIT];
        (void)edge_list(type, vectors[n / VECTORS], false, first);
        (void)edge_list(type, vectors[n % VECTORS], false, second);
        for (uint32_t i = 0; i < width; i++) {
            memcpy(x + n * room + (size_t)i * bytes, &first[i], bytes);
            memcpy(y + n * room + (size_t)i * bytes, &second[i], bytes);
        }
    }
    snprintf(kernel, sizeof(kernel), "%s%u", names[name], width);
    program_run(program, kernel, &launch, arguments, 3);
    for (size_t n = 0; n < VECTORS * VECTORS; n++) {
        double a[4], b[4], got[4];
        vector_read(type, x + n * room, width, a);
        vector_read(type, y + n * room, width, b);
        vector_read(type, result + n * given_room, given, got);
        if (!result_fits(type, name, a, b, got, width)) {
            fail_msg("%u bytes: %s of the first %u of (%s), (%s): %g ...", bytes, names[name],
                     width, vectors[n / VECTORS], vectors[n % VECTORS], got[0]);
        }
    }
}

static void type_run(enum edge_type type)
{
    static const uint32_t lanes[] = {1, 8, 16};
    for (size_t i = 0; i < COUNT(lanes); i++) {
        struct program *program = program_make(type, lanes[i]);
        for (uint32_t k = 0; k < 12; k++) {
            kernel_run(program, type, k / 4, k % 4 + 1);
        }
        program_destroy(program);
    }
}

static void vectors_of_halves_have_a_length(void **state)
{
    (void)state;
    type_run(EDGE_HALF);
}

static void vectors_of_floats_have_a_length(void **state)
{
    (void)state;
    type_run(EDGE_FLOAT);
}

static void vectors_of_doubles_have_a_length(void **state)
{
    (void)state;
    type_run(EDGE_DOUBLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_halves_have_a_length),
        cmocka_unit_test(vectors_of_floats_have_a_length),
        cmocka_unit_test(vectors_of_doubles_have_a_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
