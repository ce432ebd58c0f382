/* Tests of conversions in OpenCL C (OpenCL C 6.2.3), for all pairs of integer types. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES  16
#define RESULTS (6 * VALUES)

struct integer {
    const char *name;
    size_t bytes;
    bool is_signed;
};

static const struct integer integers[] = {
    {"char", 1, true}, {"uchar", 1, false}, {"short", 2, true}, {"ushort", 2, false},
    {"int", 4, true},  {"uint", 4, false},  {"long", 8, true},  {"ulong", 8, false},
};
#define TYPES (sizeof(integers) / sizeof(integers[0]))

/* A kernel that converts 16 numbers with saturation one by one, in fours, and at once with a
 * rounding mode; then in these three ways without saturation. */
static const char kernel_text[] =
    "kernel void %s_of_%s(global %s *to, global const %s *from)\n"
    "{\n"
    "    for (int i = 0; i < 16; i++) to[i] = convert_%s_sat(from[i]);\n"
    "    for (int i = 0; i < 4; i++) vstore4(convert_%s4_sat(vload4(i, from)), 4 + i, to);\n"
    "    vstore16(convert_%s16_sat_rtz(vload16(0, from)), 2, to);\n"
    "    for (int i = 0; i < 16; i++) to[48 + i] = convert_%s(from[i]);\n"
    "    for (int i = 0; i < 4; i++) vstore4(convert_%s4(vload4(i, from)), 16 + i, to);\n"
    "    vstore16(convert_%s16_rte(vload16(0, from)), 5, to);\n"
    "}\n";

static __int128 least(const struct integer *type)
{
    return type->is_signed ? -((__int128)1 << (8 * type->bytes - 1)) : 0;
}

static __int128 most(const struct integer *type)
{
    return ((__int128)1 << (8 * type->bytes - type->is_signed)) - 1;
}

static __int128 saturated(const struct integer *type, __int128 value)
{
    return value < least(type) ? least(type) : value > most(type) ? most(type) : value;
}

static __int128 number_read(const struct integer *type, const uint8_t *at)
{
    uint64_t bits = 0;
    memcpy(&bits, at, type->bytes);
    bool negative = type->is_signed && bits >> (8 * type->bytes - 1) & 1;
    return (__int128)bits - (negative ? (__int128)1 << (8 * type->bytes) : 0);
}

/* Keeps the low bits. */
static __int128 cut(const struct integer *type, __int128 value)
{
    return number_read(type, (const uint8_t *)&value);
}

/* Writes test values that lie around the limits of the integer types. Only the low bytes of a value
 * are written if it does not fit into `type`. */
static void numbers_write(const struct integer *type, uint8_t *out)
{
    static const int64_t numbers[VALUES] = {
        0,     1,      -1,    127,       128,       -128,      -129,      255,
        32768, -32769, 65536, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, INT64_MIN + 127,
    };
    for (size_t i = 0; i < VALUES; i++) {
        memcpy(out + i * type->bytes, &numbers[i], type->bytes);
    }
}

static void pair_check(struct cl *cl, cl_program program, const struct integer *to,
                       const struct integer *from)
{
    uint8_t in[8 * VALUES], out[8 * RESULTS];
    const size_t one = 1;
    char name[32];
    cl_int error;
    numbers_write(from, in);
    cl_mem source =
        clCreateBuffer(cl->context, CL_MEM_COPY_HOST_PTR, VALUES * from->bytes, in, &error);
    assert_cl(CL_SUCCESS, error);
    cl_mem result = cl_ints(cl, sizeof(out) / sizeof(int));
    snprintf(name, sizeof(name), "%s_of_%s", to->name, from->name);
    cl_kernel kernel = cl_kernel_of(program, name, result);
    assert_cl(CL_SUCCESS, clSetKernelArg(kernel, 1, sizeof(source), &source));
    assert_cl(CL_SUCCESS,
              clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_cl(CL_SUCCESS,
              clEnqueueReadBuffer(cl->queue, result, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (size_t i = 0; i < RESULTS; i++) {
        __int128 value = number_read(from, in + i % VALUES * from->bytes);
        __int128 expected = i < RESULTS / 2 ? saturated(to, value) : cut(to, value);
        if (number_read(to, out + i * to->bytes) != expected) {
            fail_msg("%s: number %zu is wrong", name, i);
        }
    }
    clReleaseKernel(kernel);
    clReleaseMemObject(source);
    clReleaseMemObject(result);
}

static void integers_are_converted(void **state)
{
    struct cl *cl = *state;
    char *text = calloc(TYPES * TYPES, sizeof(kernel_text) + 64);
    size_t length = 0;
    assert_non_null(text);
    for (size_t i = 0; i < TYPES * TYPES; i++) {
        const char *to = integers[i / TYPES].name, *from = integers[i % TYPES].name;
        length +=
            (size_t)sprintf(text + length, kernel_text, to, from, to, from, to, to, to, to, to, to);
    }
    cl_program program = cl_program_build(cl, text, "");
    free(text);
    for (size_t i = 0; i < TYPES * TYPES; i++) {
        pair_check(cl, program, &integers[i / TYPES], &integers[i % TYPES]);
    }
    clReleaseProgram(program);
}

/* Sources may name a conversion by parts alone, and options may name it. */
static void conversions_are_found_wherever_they_are_named(void **state)
{
    static const char *const sources[][2] = {
        {"#define SAT(type) convert_##type##_sat\n"
         "kernel void f(global int *out) { out[0] = SAT(char)(out[1] - 300); }\n",
         ""},
        {"kernel void f(global int *out) { out[0] = CONVERT(out[1] - 300); }\n",
         "-DCONVERT=convert_char_sat"},
        {"kernel void f(global int *out) { out[0] = convert_char_sat_rte(out[1] - 300); }\n", ""},
    };
    struct cl *cl = *state;
    const size_t one = 1;
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        cl_mem buffer = cl_ints(cl, 2);
        cl_program program = cl_program_build(cl, sources[i][0], sources[i][1]);
        cl_kernel kernel = cl_kernel_of(program, "f", buffer);
        assert_cl(CL_SUCCESS,
                  clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        assert_int_equal(cl_int_read(cl, buffer, 0), -128);
        clReleaseKernel(kernel);
        clReleaseProgram(program);
        clReleaseMemObject(buffer);
    }
}

/* Operands that need no replacement reach clang's own functions, rounding mode included. */
static void floats_saturate(void **state)
{
    static const int expected[] = {-128, 127, 2, 3, 0};
    struct cl *cl = *state;
    const size_t one = 1;
    cl_mem buffer = cl_ints(cl, 8);
    cl_program program =
        cl_program_build(cl,
                         "kernel void f(global int *out)\n"
                         "{\n"
                         "    float half_more = 2.5f + out[7];\n"
                         "    out[0] = convert_char_sat(-128.5f * (1 + half_more));\n"
                         "    out[1] = convert_char_sat_rtz(100.0f * half_more);\n"
                         "    out[2] = convert_int_sat_rte(half_more);\n"
                         "    out[3] = convert_int_sat_rtp(half_more);\n"
                         "    out[4] = convert_uint_sat(-half_more);\n"
                         "}\n",
                         "");
    cl_kernel kernel = cl_kernel_of(program, "f", buffer);
    assert_cl(CL_SUCCESS,
              clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_int_equal(cl_int_read(cl, buffer, i), expected[i]);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CL_CASE(integers_are_converted),
        CL_CASE(conversions_are_found_wherever_they_are_named),
        CL_CASE(floats_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
