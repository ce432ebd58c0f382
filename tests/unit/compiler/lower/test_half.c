/* OpenCL.std with half precision: every instruction of the set that half has, against the C
 * library's doubles within OpenCL's bounds for half; functions of one argument for every half there
 * is. Vectors of every size must give bit by bit what scalars give. Which instructions there are
 * is Khronos' grammar's, so none is forgotten. */
#include "program.h"
#include "support.h"

#include "compiler/ir/grammar.h"

#include <math.h>
#include <setjmp.h>
#include <spirv/unified1/OpenCL.std.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ALL          0x10000u /* halves */
#define PI           3.14159265358979323846

typedef double exact_fn(const double *x);

struct function {
    const char *name;
    exact_fn *exact;
    double ulp; /* of half; 0.5: correctly rounded */
    uint32_t arguments;
};

/* ---- what is exact ---- */

#define OF_1(name, expression)                                                                     \
    static double exact_##name(const double *x)                                                    \
    {                                                                                              \
        return (expression);                                                                       \
    }
#define C_1(name) OF_1(name, name(x[0]))
#define C_2(name) OF_1(name, name(x[0], x[1]))

C_1(acos)
C_1(acosh)
C_1(asin)
C_1(asinh)
C_1(atan)
C_1(atanh)
C_1(cbrt)
C_1(ceil)
C_1(cos)
C_1(cosh)
C_1(erf)
C_1(erfc)
C_1(exp)
C_1(exp2)
C_1(exp10)
C_1(expm1)
C_1(fabs)
C_1(floor)
C_1(log)
C_1(log2)
C_1(log10)
C_1(log1p)
C_1(logb)
C_1(rint)
C_1(round)
C_1(sin)
C_1(sinh)
C_1(sqrt)
C_1(tan)
C_1(tanh)
C_1(tgamma)
C_1(trunc)
C_2(atan2)
C_2(copysign)
C_2(fdim)
C_2(fmax)
C_2(fmin)
C_2(fmod)
C_2(hypot)
C_2(pow)
C_2(remainder)
OF_1(acospi, acos(x[0]) / PI)
OF_1(asinpi, asin(x[0]) / PI)
OF_1(atanpi, atan(x[0]) / PI)
OF_1(atan2pi, atan2(x[0], x[1]) / PI)
OF_1(rsqrt, 1 / sqrt(x[0]))
OF_1(degrees, x[0] * (180 / PI))
OF_1(radians, x[0] * (PI / 180))
OF_1(sign, isnan(x[0]) ? 0 : x[0] > 0 ? 1 : x[0] < 0 ? -1 : x[0])
OF_1(maxmag, fabs(x[0]) > fabs(x[1]) ? x[0] : fabs(x[1]) > fabs(x[0]) ? x[1] : fmax(x[0], x[1]))
OF_1(minmag, fabs(x[0]) < fabs(x[1]) ? x[0] : fabs(x[1]) < fabs(x[0]) ? x[1] : fmin(x[0], x[1]))
OF_1(step, x[1] < x[0] ? 0 : 1)
OF_1(powr, x[0] < 0 || isnan(x[0]) || isnan(x[1]) || (x[0] == 0 && x[1] == 0) ||
                   (isinf(x[0]) && x[1] == 0) || (x[0] == 1 && isinf(x[1]))
               ? NAN
               : pow(fabs(x[0]), x[1]))
OF_1(fma, (double)fmal(x[0], x[1], x[2]))
OF_1(fclamp, fmin(fmax(x[0], x[1]), x[2]))

/* The quarter turn in which x is, exactly. */
static double turn(double x)
{
    return fmod(x, 2);
}

static double exact_sinpi(const double *x)
{
    double t = turn(x[0]);
    return t == 0 || fabs(t) == 1 ? 0 : sin(t * PI);
}

static double exact_cospi(const double *x)
{
    double t = fabs(turn(x[0]));
    return t == 0.5 || t == 1.5 ? 0 : cos(t * PI);
}

static double exact_tanpi(const double *x)
{
    double t = turn(x[0]);
    t = t < 0 ? t + 2 : t;
    return t == 0 || t == 1 ? 0 : t == 0.5 ? INFINITY : t == 1.5 ? -INFINITY : tan(t * PI);
}

static const struct function functions[] = {
    {"acos", exact_acos, 2, 1},
    {"acosh", exact_acosh, 2, 1},
    {"acospi", exact_acospi, 2, 1},
    {"asin", exact_asin, 2, 1},
    {"asinh", exact_asinh, 2, 1},
    {"asinpi", exact_asinpi, 2, 1},
    {"atan", exact_atan, 2, 1},
    {"atanh", exact_atanh, 2, 1},
    {"atanpi", exact_atanpi, 2, 1},
    {"cbrt", exact_cbrt, 2, 1},
    {"ceil", exact_ceil, 0.5, 1},
    {"cos", exact_cos, 2, 1},
    {"cosh", exact_cosh, 2, 1},
    {"cospi", exact_cospi, 2, 1},
    {"erfc", exact_erfc, 4, 1},
    {"erf", exact_erf, 4, 1},
    {"exp", exact_exp, 2, 1},
    {"exp2", exact_exp2, 2, 1},
    {"exp10", exact_exp10, 2, 1},
    {"expm1", exact_expm1, 2, 1},
    {"fabs", exact_fabs, 0.5, 1},
    {"floor", exact_floor, 0.5, 1},
    {"log", exact_log, 2, 1},
    {"log2", exact_log2, 2, 1},
    {"log10", exact_log10, 2, 1},
    {"log1p", exact_log1p, 2, 1},
    {"logb", exact_logb, 0.5, 1},
    {"rint", exact_rint, 0.5, 1},
    {"round", exact_round, 0.5, 1},
    {"rsqrt", exact_rsqrt, 1, 1},
    {"sin", exact_sin, 2, 1},
    {"sinh", exact_sinh, 2, 1},
    {"sinpi", exact_sinpi, 2, 1},
    {"sqrt", exact_sqrt, 0.5, 1},
    {"tan", exact_tan, 2, 1},
    {"tanh", exact_tanh, 2, 1},
    {"tanpi", exact_tanpi, 2, 1},
    {"tgamma", exact_tgamma, 4, 1},
    {"trunc", exact_trunc, 0.5, 1},
    {"degrees", exact_degrees, 2, 1},
    {"radians", exact_radians, 2, 1},
    {"sign", exact_sign, 0.5, 1},
    {"atan2", exact_atan2, 2, 2},
    {"atan2pi", exact_atan2pi, 2, 2},
    {"copysign", exact_copysign, .5, 2},
    {"fdim", exact_fdim, 0.5, 2},
    {"fmax", exact_fmax, 0.5, 2},
    {"fmin", exact_fmin, 0.5, 2},
    {"fmod", exact_fmod, 0.5, 2},
    {"hypot", exact_hypot, 2, 2},
    {"maxmag", exact_maxmag, 0.5, 2},
    {"minmag", exact_minmag, 0.5, 2},
    {"pow", exact_pow, 4, 2},
    {"powr", exact_powr, 4, 2},
    {"remainder", exact_remainder, .5, 2},
    {"step", exact_step, 0.5, 2},
    {"fma", exact_fma, 0.5, 3},
    {"fclamp", exact_fclamp, 0.5, 3},
};

/* Not here: what half does not have (half_, native_ and fast_ functions are of floats), what has
 * no one exact value or other operands (below), and what other tests have (test_opencl.c,
 * test_vload.c). */
static const char *const elsewhere[] = {
    "fract",     "frexp",    "ilogb",     "ldexp",     "lgamma",      "lgamma_r",
    "modf",      "nan",      "pown",      "remquo",    "rootn",       "sincos",
    "mad",       "mix",      "cross",     "length",    "fmax_common", "fmin_common",
    "nextafter", "distance", "normalize", "smoothstep"};

/* ---- halves ---- */

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude = exponent == 31  ? fraction ? NAN : INFINITY
                       : exponent == 0 ? ldexp(fraction, -24)
                                       : ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

/* How far a half is from what is exact, in units of its last place; 0 where both are no numbers. An
 * infinity stands for 65536. */
static double error_of(uint16_t bits, double exact)
{
    double got = half_value(bits);
    if (isnan(got) || isnan(exact)) {
        return isnan(got) && isnan(exact) ? 0 : INFINITY;
    }
    if (isinf(exact) || fabs(exact) >= 65536) {
        return isinf(got) && signbit(got) == signbit(exact) ? 0 : INFINITY;
    }
    int exponent = exact == 0 ? -14 : ilogb(exact);
    exponent = exponent < -14 ? -14 : exponent;
    got = isinf(got) ? copysign(65536, got) : got;
    return fabs(got - exact) / ldexp(1, exponent - 10);
}

/* Zeros of either sign, denormals, ones, the largest, infinities, no number, and some of all. */
static uint16_t sample(uint32_t i)
{
    static const uint16_t edges[] = {0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00,
                                     0xbc00, 0x3bff, 0x3c01, 0x4200, 0xc248, 0x7bff,
                                     0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3800, 0x4400};
    return i < COUNT(edges) ? edges[i] : (uint16_t)(i * 40503u);
}

#define SAMPLES 48u

/* ---- kernels: name (scalars), name_v (vectors) ---- */

static const uint32_t widths[] = {2, 3, 4, 8, 16};

static void kernel_write(struct geo_strbuf *all, const char *name, uint32_t arguments,
                         uint32_t count, uint32_t number)
{
    char type[16] = "half";
    if (count > 1) {
        snprintf(type, sizeof(type), "half%u", count);
    }
    geo_strbuf_printf(all, "%%k%u = OpFunction %%void None %%type\n", number);
    for (uint32_t i = 0; i < 4; i++) {
        geo_strbuf_printf(all, "%%a%u_%u = OpFunctionParameter %%p_half\n", number, i);
    }
    geo_strbuf_printf(all, "%%l%u = OpLabel\n%%d%u = OpLoad %%v3 %%id\n", number, number);
    geo_strbuf_printf(all, "%%i%u = OpCompositeExtract %%u64 %%d%u 0\n", number, number);
    for (uint32_t i = 0; i <= arguments; i++) { /* the last is the result */
        geo_strbuf_printf(all, "%%b%u_%u = OpBitcast %%p_%s %%a%u_%u\n", number, i, type, number,
                          i == arguments ? 3 : i);
        geo_strbuf_printf(all, "%%c%u_%u = OpInBoundsPtrAccessChain %%p_%s %%b%u_%u %%i%u\n",
                          number, i, type, number, i, number);
    }
    for (uint32_t i = 0; i < arguments; i++) {
        geo_strbuf_printf(all, "%%x%u_%u = OpLoad %%%s %%c%u_%u\n", number, i, type, number, i);
    }
    geo_strbuf_printf(all, "%%r%u = OpExtInst %%%s %%ocl %s", number, type, name);
    for (uint32_t i = 0; i < arguments; i++) {
        geo_strbuf_printf(all, " %%x%u_%u", number, i);
    }
    geo_strbuf_printf(all, "\nOpStore %%c%u_%u %%r%u\nOpReturn\nOpFunctionEnd\n", number, arguments,
                      number);
}

static uint32_t vector_of(size_t function)
{
    return widths[function % COUNT(widths)];
}

static struct program *program_make(void)
{
    struct geo_strbuf all;
    geo_strbuf_init(&all, 0);
    for (size_t f = 0; f < COUNT(functions); f++) {
        geo_strbuf_printf(&all, "OpEntryPoint Kernel %%k%zu \"%s\" %%id\n", 2 * f,
                          functions[f].name);
        geo_strbuf_printf(&all, "OpEntryPoint Kernel %%k%zu \"%s_v\" %%id\n", 2 * f + 1,
                          functions[f].name);
    }
    geo_strbuf_printf(&all, "OpDecorate %%id BuiltIn GlobalInvocationId\nOpDecorate %%id Constant\n"
                            "%%void = OpTypeVoid\n%%u64 = OpTypeInt 64 0\n"
                            "%%v3 = OpTypeVector %%u64 3\n%%p_v3 = OpTypePointer Input %%v3\n"
                            "%%id = OpVariable %%p_v3 Input\n%%half = OpTypeFloat 16\n"
                            "%%p_half = OpTypePointer CrossWorkgroup %%half\n");
    for (size_t w = 0; w < COUNT(widths); w++) {
        geo_strbuf_printf(&all, "%%half%u = OpTypeVector %%half %u\n", widths[w], widths[w]);
        geo_strbuf_printf(&all, "%%p_half%u = OpTypePointer CrossWorkgroup %%half%u\n", widths[w],
                          widths[w]);
    }
    geo_strbuf_printf(&all, "%%type = OpTypeFunction %%void %%p_half %%p_half %%p_half %%p_half\n");
    for (size_t f = 0; f < COUNT(functions); f++) {
        kernel_write(&all, functions[f].name, functions[f].arguments, 1, (uint32_t)(2 * f));
        kernel_write(&all, functions[f].name, functions[f].arguments, vector_of(f),
                     (uint32_t)(2 * f + 1));
    }
    struct geo_ir_module *module = support_assemble(geo_strbuf_text(&all));
    struct program *program =
        program_build_model(module, &(struct program_options){.lanes = 16, .optimize = true});
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&all);
    return program;
}

/* ---- one function ---- */

static uint16_t in[3][ALL], out[ALL], vectors[ALL];

/* Fills the arguments; how many there are of each, a multiple of 64 vectors of any size. */
static uint32_t arguments_fill(uint32_t arguments)
{
    for (uint32_t i = 0; i < ALL; i++) {
        in[0][i] = arguments == 1 ? (uint16_t)i : sample(i % SAMPLES);
        in[1][i] = sample(i / SAMPLES % SAMPLES);
        in[2][i] = sample(i / (SAMPLES * SAMPLES) * 5 % SAMPLES);
    }
    return arguments == 1 ? ALL : 3 * 64 * 64;
}

static void run(const struct program *program, const char *name, uint32_t items, uint16_t *to)
{
    const struct program_launch launch = {.groups = {items / 16, 1, 1}, .local = {16, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(in[0]), PROGRAM_POINTER(in[1]),
                                                 PROGRAM_POINTER(in[2]), PROGRAM_POINTER(to)};
    program_run(program, name, &launch, arguments, 4);
}

static void check(const struct program *program, size_t f)
{
    const struct function *function = &functions[f];
    char vector[32];
    uint32_t count = arguments_fill(function->arguments), width = vector_of(f);
    uint32_t slots = width == 3 ? 4 : width, whole = count / slots / 16 * 16;
    run(program, function->name, count, out);
    for (uint32_t i = 0; i < count; i++) {
        const double x[] = {half_value(in[0][i]), half_value(in[1][i]), half_value(in[2][i])};
        if (strcmp(function->name, "fclamp") == 0 && !(x[1] <= x[2] && x[0] == x[0])) {
            continue; /* undefined */
        }
        double exact = function->exact(x), error = error_of(out[i], exact);
        if (!(error <= function->ulp + 1e-6)) {
            fail_msg("%s(%a, %a, %a) = %a, exact %a: %g units", function->name, x[0], x[1], x[2],
                     half_value(out[i]), exact, error);
        }
    }
    snprintf(vector, sizeof(vector), "%s_v", function->name);
    run(program, vector, whole, vectors);
    for (uint32_t i = 0; i < whole * slots; i++) {
        if (i % slots < width && out[i] != vectors[i] &&
            !(isnan(half_value(out[i])) && isnan(half_value(vectors[i])))) {
            fail_msg("%s: component %u of a vector of %u is %#x, not %#x", function->name,
                     i % slots, width, vectors[i], out[i]);
        }
    }
}

/* SPV-3, SPV-35 */
static void functions_of_halves_are_as_exact_as_opencl_wants(void **state)
{
    (void)state;
    struct program *program = program_make();
    for (size_t f = 0; f < COUNT(functions); f++) {
        check(program, f);
    }
    program_destroy(program);
}

/* SPV-3: of the grammar's instructions on floats none is left out */
static void every_function_of_halves_is_tried(void **state)
{
    (void)state;
    for (uint32_t number = 0; number <= OpenCLstd_Fast_normalize; number++) {
        const struct geo_grammar *grammar = geo_grammar_find_opencl(number);
        if (!grammar || strncmp(grammar->name, "half_", 5) == 0 ||
            strncmp(grammar->name, "native_", 7) == 0 || strncmp(grammar->name, "fast_", 5) == 0) {
            continue;
        }
        bool found = false;
        for (size_t f = 0; f < COUNT(functions); f++) {
            found = found || strcmp(functions[f].name, grammar->name) == 0;
        }
        for (size_t f = 0; f < COUNT(elsewhere); f++) {
            found = found || strcmp(elsewhere[f], grammar->name) == 0;
        }
        if (!found) {
            fail_msg("%s is not tried", grammar->name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_halves_are_as_exact_as_opencl_wants),
        cmocka_unit_test(every_function_of_halves_is_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
