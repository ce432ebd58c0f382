/* Built-in functions of the library, run by the reference interpreter, against the C library's long
 * double functions within the error that OpenCL allows. */
#include "interpret.h"
#include "support.h"

#include "compiler/builtins/builtins.h"
#include "compiler/spirv/reader.h"
#include "compiler/validate/validate.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct subject {
    struct geo_ir_module *module;
    struct interp *interp;
};

static int subject_create(void **state)
{
    struct subject *subject = calloc(1, sizeof(*subject));
    struct geo_strbuf log;
    assert_non_null(subject);
    subject->module = support_fixture("builtins_O2");
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_builtins_resolve(subject->module, &log), ZE_RESULT_SUCCESS);
    support_assert_valid(subject->module);
    geo_strbuf_finish(&log);
    subject->interp = interp_create(subject->module);
    assert_non_null(subject->interp);
    *state = subject;
    return 0;
}

static int subject_destroy(void **state)
{
    struct subject *subject = *state;
    interp_destroy(subject->interp);
    geo_ir_module_destroy(subject->module);
    free(subject);
    return 0;
}

static uint64_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static uint64_t double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

static double call(const struct subject *subject, const char *name, bool is_double, double x,
                   double y)
{
    struct geo_ir_function *function = interp_find(subject->module, name);
    uint64_t arguments[2], result = 0;
    if (!function) {
        fail_msg("no function %s", name);
    }
    arguments[0] = is_double ? double_bits(x) : float_bits((float)x);
    arguments[1] = is_double ? double_bits(y) : float_bits((float)y);
    interp_set_step_limit(subject->interp, interp_steps(subject->interp) + 100000);
    if (!interp_call(subject->interp, function, arguments, &result)) {
        fail_msg("%s(%a, %a): %s", name, x, y, interp_error(subject->interp));
    }
    if (is_double) {
        double value;
        memcpy(&value, &result, 8);
        return value;
    }
    float value;
    uint32_t bits = (uint32_t)result;
    memcpy(&value, &bits, 4);
    return (double)value;
}

/* Distance in units of the last place of the exact result. */
static double ulp_error(double got, long double exact, bool is_double)
{
    long double limit = is_double ? (long double)DBL_MAX : (long double)FLT_MAX;
    if (isnan(got) || isnan((double)exact)) {
        return isnan(got) && isnan((double)exact) ? 0.0 : INFINITY;
    }
    if (isinf(got) || fabsl(exact) > limit) {
        bool both = isinf(got) && fabsl(exact) > limit && (got > 0) == (exact > 0);
        return both || fabsl(exact) > limit * 0.999999L ? 0.0 : INFINITY;
    }
    int exponent = exact == 0.0L ? -2000 : ilogbl(exact);
    int least = is_double ? -1022 : -126;
    int digits = is_double ? 52 : 23;
    long double unit = ldexpl(1.0L, (exponent < least ? least : exponent) - digits);
    return (double)(fabsl((long double)got - exact) / unit);
}

struct unary {
    const char *name;
    long double (*exact)(long double);
    double from, to, ulp;
    bool is_double;
};

static long double exact_rsqrt(long double x)
{
    return 1.0L / sqrtl(x);
}

static long double exact_exp10(long double x)
{
    return powl(10.0L, x);
}

static long double exact_sincos_sum(long double x)
{
    return (long double)((float)sinl(x) * 2.0f + (float)cosl(x));
}

static long double exact_fract(long double x)
{
    return x - floorl(x);
}

static long double exact_frexp(long double x)
{
    int e;
    frexpl(x, &e);
    return e;
}

static long double exact_vector_sin(long double x)
{
    return (long double)((float)sinl(x) + (float)sinl((long double)(float)(x * 4.0L)));
}

static long double exact_ldexp(long double x)
{
    return ldexpl(x, 5);
}

static long double exact_cube(long double x)
{
    return x * x * x;
}

static long double exact_ilogb(long double x)
{
    return ilogbl(x);
}

/* Errors that the OpenCL C specification allows, full profile. */
static const struct unary unaries[] = {
    {"case_sin", sinl, -1e5, 1e5, 4, false},
    {"case_cos", cosl, -1e5, 1e5, 4, false},
    {"case_tan", tanl, -1e4, 1e4, 5, false},
    {"case_asin", asinl, -1, 1, 4, false},
    {"case_acos", acosl, -1, 1, 4, false},
    {"case_atan", atanl, -100, 100, 5, false},
    {"case_sinh", sinhl, -80, 80, 4, false},
    {"case_cosh", coshl, -80, 80, 4, false},
    {"case_tanh", tanhl, -10, 10, 5, false},
    {"case_asinh", asinhl, -1e6, 1e6, 4, false},
    {"case_acosh", acoshl, 1, 1e6, 4, false},
    {"case_atanh", atanhl, -0.999, 0.999, 5, false},
    {"case_exp", expl, -80, 80, 3, false},
    {"case_exp", expl, -103, -87, 3, false}, /* denormal results */
    {"case_exp2", exp2l, -149, -126, 3, false},
    {"case_exp10", exact_exp10, -44, -38, 3, false},
    {"case_exp2", exp2l, -120, 120, 3, false},
    {"case_exp10", exact_exp10, -35, 35, 3, false},
    {"case_expm1", expm1l, -80, 80, 3, false},
    {"case_log", logl, 0, 1e6, 1, false},
    {"case_log2", log2l, 0, 1e6, 3, false},
    {"case_log10", log10l, 0, 1e6, 3, false},
    {"case_log1p", log1pl, -0.999, 1e6, 2, false},
    {"case_cbrt", cbrtl, -1e6, 1e6, 2, false},
    {"case_rsqrt", exact_rsqrt, 0, 1e6, 2, false},
    {"case_erf", erfl, -4, 4, 16, false},
    {"case_erfc", erfcl, -4, 9, 16, false},
    {"case_tgamma", tgammal, 0.1, 30, 16, false},
    {"case_lgamma", lgammal, 3, 1000, 16, false},
    {"case_logb", logbl, 0, 1e6, 0, false},
    {"case_native_exp", expl, -80, 80, 8192, false},
    {"case_half_cos", cosl, -100, 100, 8192, false},
    {"case_sincos_sum", exact_sincos_sum, -100, 100, 1e6, false},
    {"case_fract_part", exact_fract, -1000, 1000, 0.5, false},
    {"case_modf_whole", truncl, -1000, 1000, 0, false},
    {"case_frexp_exponent", exact_frexp, 0.001, 1e6, 0, false},
    {"case_vector_sin", exact_vector_sin, -100, 100, 1e6, false},
    {"case_ldexp", exact_ldexp, -1000, 1000, 0, false},
    {"case_ldexp", exact_ldexp, -1e-40, 1e-40, 0, false},
    {"case_rootn", cbrtl, -1e30, 1e30, 16, false},
    {"case_rootn", cbrtl, -1e-39, 1e-39, 16, false},
    {"case_lgamma", lgammal, -1e-18, -1e-19, 16, false},
    {"case_pown", exact_cube, -100, 100, 16, false},
    {"case_ilogb", exact_ilogb, 0.001, 1e6, 0, false},
    {"case_sin_d", sinl, -1e5, 1e5, 4, true},
    {"case_cos_d", cosl, -1e5, 1e5, 4, true},
    {"case_exp_d", expl, -700, 700, 3, true},
    {"case_log_d", logl, 0, 1e9, 3, true},
    {"case_cbrt_d", cbrtl, -1e9, 1e9, 2, true},
    {"case_tgamma_d", tgammal, 0.001, 171.6, 16, true},
    {"case_tgamma_d", tgammal, -20, -0.001, 16, true},
    {"case_tgamma", tgammal, -20, -0.001, 16, false},
    {"case_erf_d", erfl, -5, 5, 16, true},
};

/* Edge values where both the function and C's have the same meaning. */
static const double edges[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, INFINITY, -INFINITY, NAN};

static void check_unary(const struct subject *subject, const struct unary *unary, double x)
{
    x = unary->is_double ? x : (double)(float)x;
    long double exact = unary->exact((long double)x);
    double got = call(subject, unary->name, unary->is_double, x, 0.0);
    double error = ulp_error(got, exact, unary->is_double);
    if (strstr(unary->name, "_sum") || strstr(unary->name, "vector")) {
        error = fabs(got - (double)exact) < 4e-6 ? 0.0 : INFINITY; /* sums cancel: absolute */
    }
    if (!(error <= unary->ulp)) {
        fail_msg("%s(%a) = %a, exact %La: %g ulp of %g", unary->name, x, got, exact, error,
                 unary->ulp);
    }
}

/* SPV-3, SPV-35 */
static void functions_of_one_argument_are_as_exact_as_opencl_wants(void **state)
{
    struct support_random random = {1};
    for (size_t i = 0; i < sizeof(unaries) / sizeof(unaries[0]); i++) {
        const struct unary *unary = &unaries[i];
        for (int k = 0; k < 300; k++) {
            double t = (double)(support_random(&random) >> 11) * 0x1p-53;
            check_unary(*state, unary, unary->from + t * (unary->to - unary->from));
        }
    }
}

/* SPV-35: infinities, zeros and NaN of the functions C defines in the same way */
static void edge_values_are_those_of_c(void **state)
{
    static const char *const names[] = {"case_sin",  "case_cos",   "case_tan",   "case_atan",
                                        "case_exp",  "case_exp2",  "case_expm1", "case_log",
                                        "case_log2", "case_log1p", "case_cbrt",  "case_tanh",
                                        "case_sinh", "case_cosh",  "case_erf",   "case_asin",
                                        "case_acos", "case_sin_d", "case_exp_d", "case_log_d"};
    for (size_t i = 0; i < sizeof(unaries) / sizeof(unaries[0]); i++) {
        for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
            for (size_t e = 0; e < sizeof(edges) / sizeof(edges[0]); e++) {
                if (strcmp(names[n], unaries[i].name) == 0) {
                    check_unary(*state, &unaries[i], edges[e]);
                }
            }
        }
    }
}

struct binary {
    const char *name;
    long double (*exact)(long double, long double);
    double limit, ulp;
    bool is_double;
};

static long double exact_powr(long double x, long double y)
{
    return powl(fabsl(x), y);
}

static long double exact_length(long double x, long double y)
{
    return sqrtl(x * x + y * y + 4.0L);
}

static long double exact_quotient(long double x, long double y)
{
    int q;
    remquol(x, y, &q);
    return q & 7;
}

static const struct binary binaries[] = {
    {"case_pow", powl, 20, 16, false},
    {"case_powr", exact_powr, 20, 16, false},
    {"case_hypot", hypotl, 1e6, 4, false},
    {"case_atan2", atan2l, 100, 6, false},
    {"case_fmod", fmodl, 1e4, 0, false},
    {"case_remainder", remainderl, 1e4, 0, false},
    {"case_fmod", fmodl, 1e-38, 0, false}, /* denormals */
    {"case_remainder", remainderl, 1e-38, 0, false},
    {"case_length", exact_length, 1e4, 6.5, false},
    {"case_remquo_bits", exact_quotient, 1e4, 0, false},
    {"case_remquo_bits", exact_quotient, 1e-38, 0, false},
    {"case_pow_d", powl, 30, 16, true},
    {"case_atan2_d", atan2l, 100, 6, true},
};

/* SPV-3, SPV-35 */
static void functions_of_two_arguments_are_as_exact_as_opencl_wants(void **state)
{
    struct support_random random = {2};
    for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++) {
        const struct binary *binary = &binaries[i];
        for (int k = 0; k < 300; k++) {
            double x = ((double)(support_random(&random) >> 11) * 0x1p-52 - 1.0) * binary->limit;
            double y = ((double)(support_random(&random) >> 11) * 0x1p-52 - 1.0) * binary->limit;
            x = binary->is_double ? x : (double)(float)x;
            y = binary->is_double ? y : (double)(float)y;
            double got = call(*state, binary->name, binary->is_double, x, y);
            double error =
                ulp_error(got, binary->exact((long double)x, (long double)y), binary->is_double);
            if (!(error <= binary->ulp)) {
                fail_msg("%s(%a, %a) = %a: %g ulp of %g", binary->name, x, y, got, error,
                         binary->ulp);
            }
        }
    }
}

/* SPV-3: every instruction of the set that is a function is found in the library, for both
 * precisions */
static void nothing_is_left_that_only_the_library_has(void **state)
{
    const struct subject *subject = *state;
    geo_ir_for_each_function(function, subject->module) {
        geo_ir_for_each_block(block, function) {
            geo_ir_for_each_inst(inst, block) {
                if (inst->op == SpvOpFunctionCall) {
                    struct geo_ir_function *callee = geo_ir_as_function(inst->operands[0]);
                    assert_non_null(callee);
                    assert_non_null(callee->first_block); /* no import is left */
                }
            }
        }
    }
}

/* A function "f" of one parameter and one instruction of the set. */
static void instruction(const char *result, const char *name, const char *operands, char *text,
                        size_t size)
{
    snprintf(text, size,
             "OpDecorate %%f LinkageAttributes \"f\" Export\n"
             "%%i16 = OpTypeInt 16 0\n%%i32 = OpTypeInt 32 0\n%%f16 = OpTypeFloat 16\n"
             "%%f32 = OpTypeFloat 32\n%%h3 = OpTypeVector %%f16 3\n%%v2 = OpTypeVector %%f32 2\n"
             "%%v3 = OpTypeVector %%f32 3\n%%pi = OpTypePointer Function %%i32\n"
             "%%pq = OpTypePointer Function %%i16\n%%short = OpConstant %%i16 3\n"
             "%%half = OpConstant %%f16 3\n%%h = OpConstantComposite %%h3 %%half %%half %%half\n"
             "%%s = OpConstant %%f32 2.5\n%%x = OpConstantComposite %%v2 %%s %%s\n"
             "%%y = OpConstantComposite %%v3 %%s %%s %%s\n"
             "%%type = OpTypeFunction %%f32\n%%f = OpFunction %%f32 None %%type\n%%l = OpLabel\n"
             "%%p = OpVariable %%pi Function\n%%q = OpVariable %%pq Function\n%%r = OpExtInst %s "
             "%%ocl %s %s\n"
             "%%o = OpFConvert %%f32 %s\nOpReturnValue %%o\nOpFunctionEnd\n",
             result, name, operands, strcmp(result, "%f16") == 0 ? "%r" : "%half");
}

/* SPV-3: computed in float, as the components of element-wise functions are */
static void halves_have_geometry(void **state)
{
    (void)state;
    char text[2048];
    instruction("%f16", "length", "%h", text, sizeof(text));
    struct geo_ir_module *module = support_assemble(text);
    struct geo_strbuf log;
    uint64_t bits;
    float length;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_builtins_resolve(module, &log), ZE_RESULT_SUCCESS);
    support_assert_valid(module);
    struct interp *interp = interp_create(module);
    assert_true(interp_call(interp, interp_find(module, "f"), NULL, &bits));
    memcpy(&length, &(uint32_t){(uint32_t)bits}, 4);
    assert_true(fabsf(length - 3.0f * sqrtf(3.0f)) < 0.005f);
    interp_destroy(interp);
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&log);
}

/* SPV-1: what the library's functions could not be called with is refused before */
static void instructions_of_wrong_types_are_invalid(void **state)
{
    static const char *const wrong[][3] = {
        {"%i16", "log", "%s"},         {"%i16", "ilogb", "%s"},    {"%f32", "log", "%x"},
        {"%v3", "log", "%x"},          {"%v3", "frexp", "%y %p"},  {"%f32", "frexp", "%s %q"},
        {"%i32", "frexp", "%s %p"},    {"%i32", "length", "%y"},   {"%v2", "cross", "%y %y"},
        {"%v3", "cross", "%y %x"},     {"%v2", "normalize", "%y"}, {"%f32", "pow", "%s %y"},
        {"%f32", "pown", "%s %short"}, {"%f32", "nan", "%short"},  {"%f32", "distance", "%y %x"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[2048];
        size_t bytes;
        struct geo_strbuf log;
        struct geo_ir_module *module;
        instruction(wrong[i][0], wrong[i][1], wrong[i][2], text, sizeof(text));
        void *data = support_assemble_bytes(text, &bytes);
        geo_strbuf_init(&log, 0);
        assert_int_equal(geo_spirv_read(data, bytes, &module, &log), ZE_RESULT_SUCCESS);
        free(data);
        assert_false(geo_validate(module, "reading", &log) == ZE_RESULT_SUCCESS);
        assert_non_null(strstr(geo_strbuf_text(&log), "OpExtInst"));
        geo_ir_module_destroy(module);
        geo_strbuf_finish(&log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_one_argument_are_as_exact_as_opencl_wants),
        cmocka_unit_test(edge_values_are_those_of_c),
        cmocka_unit_test(functions_of_two_arguments_are_as_exact_as_opencl_wants),
        cmocka_unit_test(nothing_is_left_that_only_the_library_has),
        cmocka_unit_test(halves_have_geometry),
        cmocka_unit_test(instructions_of_wrong_types_are_invalid),
    };
    return cmocka_run_group_tests(tests, subject_create, subject_destroy);
}
