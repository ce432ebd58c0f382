/* API test of SPIR-V modules, float modes: execution modes for rounding and denormals of 16, 32 and
 * 64 bits, against the processor under fesetround. The modes are added to the module's words here,
 * since OpenCL C cannot ask for them. */
#include "harness.h"

#include <fenv.h>
#include <math.h>
#include <spirv/unified1/spirv.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 960, OPERATIONS = 6, EXTRA_WORDS = 64 };

struct mode {
    uint32_t mode, width; /* SpvExecutionMode */
};

/* ---- modules ---- */

static uint32_t *words_add(uint32_t *to, const uint32_t *words, uint32_t count)
{
    memcpy(to, words, count * sizeof(*to));
    return to + count;
}

static bool named(const uint32_t *entry, const char *kernel)
{
    return strcmp((const char *)(entry + 3), kernel) == 0;
}

static uint32_t *modes_add(uint32_t *to, uint32_t function, const struct mode *modes)
{
    for (; modes->mode; modes++) {
        const uint32_t words[] = {4u << 16 | SpvOpExecutionMode, function, modes->mode,
                                  modes->width};
        to = words_add(to, words, 4);
    }
    return to;
}

/* The module's words with modes (until one is 0) for one of its kernels. */
static uint32_t *words_patch(const uint32_t *from, size_t count, const char *kernel,
                             const struct mode *modes, size_t *made_count)
{
    static const uint32_t capabilities[] = {
        SpvCapabilityDenormPreserve, SpvCapabilityDenormFlushToZero, SpvCapabilityRoundingModeRTE,
        SpvCapabilityRoundingModeRTZ, SpvCapabilityRoundToInfinityINTEL};
    uint32_t *made = malloc((count + EXTRA_WORDS) * sizeof(*made)), *to = made, function = 0;
    assert_non_null(made);
    to = words_add(to, from, 5);
    for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
        const uint32_t words[] = {2u << 16 | SpvOpCapability, capabilities[i]};
        to = words_add(to, words, 2);
    }
    for (size_t at = 5; at < count; at += from[at] >> 16) {
        uint32_t op = from[at] & 0xffff;
        if (op == SpvOpEntryPoint && named(from + at, kernel)) {
            function = from[at + 2];
        }
        if (function && op != SpvOpEntryPoint) { /* behind the last one */
            to = modes_add(to, function, modes);
            to = words_add(to, from + at, (uint32_t)(count - at));
            break;
        }
        to = words_add(to, from + at, from[at] >> 16);
    }
    assert_true(function);
    *made_count = (size_t)(to - made);
    return made;
}

static ze_result_t module_try(struct api *api, const char *kernel, const struct mode *modes,
                              ze_module_handle_t *module, ze_module_build_log_handle_t *log)
{
    size_t bytes, count;
    uint32_t *words = api_read_file("tests/float_modes.spv", &bytes);
    uint32_t *made = words_patch(words, bytes / 4, kernel, modes, &count);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = count * 4,
                             .pInputModule = (const uint8_t *)made};
    ze_result_t result = zeModuleCreate(api->context, api->device, &desc, module, log);
    free(made);
    free(words);
    return result;
}

static ze_module_handle_t module_of(struct api *api, const char *kernel, const struct mode *modes)
{
    ze_module_handle_t module;
    assert_success(module_try(api, kernel, modes, &module, NULL));
    return module;
}

static void run(struct api *api, ze_module_handle_t module, const char *name, void **arguments,
                uint32_t count)
{
    ze_kernel_handle_t kernel = api_kernel(module, name);
    for (uint32_t i = 0; i < count; i++) {
        assert_success(zeKernelSetArgumentValue(kernel, i, sizeof(void *), &arguments[i]));
    }
    assert_success(zeKernelSetGroupSize(kernel, 60, 1, 1)); /* partial chunks at every width */
    struct api_list list = api_list_create(api);
    ze_group_count_t groups = {COUNT / 60, 1, 1};
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
    api_list_run(api, &list);
    api_list_destroy(&list);
    assert_success(zeKernelDestroy(kernel));
}

/* ---- numbers ---- */

struct format {
    const char *name;
    uint32_t width, mantissa;
    int bias;
};

static const struct format formats[] = {
    {"half", 16, 10, 15}, {"float", 32, 23, 127}, {"double", 64, 52, 1023}};

static uint64_t bits_get(const struct format *t, const void *memory, size_t i)
{
    uint64_t bits = 0;
    memcpy(&bits, (const uint8_t *)memory + i * t->width / 8, t->width / 8);
    return bits;
}

static void bits_set(const struct format *t, void *memory, size_t i, uint64_t bits)
{
    memcpy((uint8_t *)memory + i * t->width / 8, &bits, t->width / 8);
}

/* Exact in every format. */
static long double value_of(const struct format *t, uint64_t bits)
{
    uint64_t fraction = bits & ((1ull << t->mantissa) - 1);
    int exponent = (int)(bits >> t->mantissa & ((1u << (t->width - 1 - t->mantissa)) - 1));
    bool negative = bits >> (t->width - 1) & 1;
    int top = (1 << (t->width - 1 - t->mantissa)) - 1;
    long double size = exponent == top ? (fraction ? NAN : INFINITY)
                       : exponent == 0
                           ? ldexpl((long double)fraction, 1 - t->bias - (int)t->mantissa)
                           : ldexpl((long double)(fraction | 1ull << t->mantissa),
                                    exponent - t->bias - (int)t->mantissa);
    return negative ? -size : size;
}

/* Rounds a half by the mode that is set. */
static uint64_t half_of(long double value)
{
    uint64_t sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value)) {
        return 0x7e00;
    }
    if (isinf(value) || value == 0) {
        return sign | (value == 0 ? 0 : 0x7c00);
    }
    int exponent = ilogbl(value) < -14 ? -14 : ilogbl(value);
    volatile long double scaled = ldexpl(value, 10 - exponent);
    long double whole = fabsl(rintl(scaled));
    int mode = fegetround();
    if (ldexpl(whole, exponent - 10) > 65504) {
        bool inward =
            mode == FE_TOWARDZERO || (mode == FE_UPWARD && sign) || (mode == FE_DOWNWARD && !sign);
        return sign | (inward ? 0x7bff : 0x7c00);
    }
    /* The mantissa counts from 1024 on where the number is normal, and may carry. */
    return sign | (uint64_t)((long double)((exponent + 14) * 1024) + whole);
}

static bool is_nan(const struct format *t, uint64_t bits)
{
    uint64_t infinity = (1ull << (t->width - 1)) - (1ull << t->mantissa);
    return (bits & ~(1ull << (t->width - 1))) > infinity;
}

static uint64_t flush(const struct format *t, uint64_t bits)
{
    uint64_t infinity = (1ull << (t->width - 1)) - (1ull << t->mantissa);
    return bits & infinity ? bits : bits & 1ull << (t->width - 1);
}

static uint64_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return *state >> 11 ^ *state << 29;
}

/* All kinds of numbers, and pairs whose exponents are near each other. */
static void fill(const struct format *t, void *memory, uint64_t seed)
{
    uint64_t infinity = (1ull << (t->width - 1)) - (1ull << t->mantissa);
    uint64_t sign = 1ull << (t->width - 1), one = (uint64_t)t->bias << t->mantissa;
    const uint64_t special[] = {0,
                                sign,
                                1,
                                sign | 1,
                                infinity - 1,
                                infinity,
                                one,
                                one + 1,
                                one - 1,
                                sign | one,
                                infinity + 1,
                                3,
                                7,
                                sign + infinity,
                                sign + infinity - 1,
                                one + (1ull << t->mantissa)};
    uint64_t state = seed;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t bits = random_next(&state), kind = random_next(&state) % 4;
        if (kind == 0) {
            bits = special[bits % (sizeof(special) / sizeof(special[0]))];
        } else if (kind < 3) { /* near one */
            uint64_t fraction = bits & ((1ull << t->mantissa) - 1);
            bits = (bits & sign) | (one + ((bits >> 58) << t->mantissa) / 4 * 2) | fraction;
        }
        bits_set(t, memory, i, bits);
    }
}

#define OPERATE(T, sqrt_of, fma_of)                                                                \
    volatile T x, y, z, r = 0;                                                                     \
    memcpy((void *)&x, &a, sizeof(x));                                                             \
    memcpy((void *)&y, &b, sizeof(y));                                                             \
    memcpy((void *)&z, &c, sizeof(z));                                                             \
    switch (operation) {                                                                           \
    case 0:                                                                                        \
        r = x + y;                                                                                 \
        break;                                                                                     \
    case 1:                                                                                        \
        r = x - y;                                                                                 \
        break;                                                                                     \
    case 2:                                                                                        \
        r = x * y;                                                                                 \
        break;                                                                                     \
    case 3:                                                                                        \
        r = x / y;                                                                                 \
        break;                                                                                     \
    case 4:                                                                                        \
        r = fma_of(x, y, z);                                                                       \
        break;                                                                                     \
    default:                                                                                       \
        r = sqrt_of(x);                                                                            \
    }                                                                                              \
    uint64_t bits = 0;                                                                             \
    memcpy(&bits, (const void *)&r, sizeof(r));                                                    \
    return bits

static uint64_t float_operate(int operation, uint64_t a, uint64_t b, uint64_t c)
{
    OPERATE(float, sqrtf, fmaf);
}

static uint64_t double_operate(int operation, uint64_t a, uint64_t b, uint64_t c)
{
    OPERATE(double, sqrt, fma);
}

/* Twice rounded the same way is once, and to nearest long double has room. */
static uint64_t half_operate(int operation, uint64_t a, uint64_t b, uint64_t c)
{
    const struct format *t = &formats[0];
    volatile long double x = value_of(t, a), y = value_of(t, b), z = value_of(t, c), r;
    switch (operation) {
    case 0:
        r = x + y;
        break;
    case 1:
        r = x - y;
        break;
    case 2:
        r = x * y;
        break;
    case 3:
        r = x / y;
        break;
    case 4:
        r = x * y;
        r = r + z;
        break;
    default:
        r = sqrtl(x);
    }
    return half_of(r);
}

static uint64_t operate(const struct format *t, int operation, uint64_t a, uint64_t b, uint64_t c)
{
    return t->width == 16   ? half_operate(operation, a, b, c)
           : t->width == 32 ? float_operate(operation, a, b, c)
                            : double_operate(operation, a, b, c);
}

static void expect_bits(const struct format *t, uint64_t got, uint64_t wanted, const char *what,
                        size_t i)
{
    if (got != wanted && !(is_nan(t, got) && is_nan(t, wanted))) {
        fail_msg("%s, %s at %zu: %llx, not %llx", t->name, what, i, (unsigned long long)got,
                 (unsigned long long)wanted);
    }
}

static const struct {
    uint32_t mode;
    int round;
} roundings[] = {
    {SpvExecutionModeRoundingModeRTZ, FE_TOWARDZERO},
    {SpvExecutionModeRoundingModeRTPINTEL, FE_UPWARD},
    {SpvExecutionModeRoundingModeRTNINTEL, FE_DOWNWARD},
    {SpvExecutionModeRoundingModeRTE, FE_TONEAREST},
};

static void *numbers(struct api *api, const struct format *t, uint64_t seed)
{
    void *memory = api_alloc_shared(api, (size_t)COUNT * t->width / 8);
    fill(t, memory, seed);
    return memory;
}

/* ---- cases ---- */

static void modes_hold(struct api *api, const struct format *t, size_t rounding, bool flushes)
{
    char name[32];
    snprintf(name, sizeof(name), "%s_modes", t->name);
    struct mode modes[3] = {{roundings[rounding].mode, t->width}};
    modes[1] = (struct mode){
        flushes ? SpvExecutionModeDenormFlushToZero : SpvExecutionModeDenormPreserve, t->width};
    ze_module_handle_t module = module_of(api, name, modes);
    void *a = numbers(api, t, 1), *b = numbers(api, t, 2), *c = numbers(api, t, 3);
    void *out = api_alloc_shared(api, (size_t)OPERATIONS * COUNT * t->width / 8);
    void *arguments[] = {a, b, c, out};
    run(api, module, name, arguments, 4);
    for (int operation = 0; operation < OPERATIONS; operation++) {
        for (size_t i = 0; i < COUNT; i++) {
            uint64_t v[3] = {bits_get(t, a, i), bits_get(t, b, i), bits_get(t, c, i)};
            for (int k = 0; k < 3 && flushes; k++) {
                v[k] = flush(t, v[k]);
            }
            /* the only sum here that long double rounds first, to nearest */
            if (operation == 4 && t->width == 16 && rounding == 3) {
                continue;
            }
            fesetround(roundings[rounding].round);
            uint64_t wanted = operate(t, operation, v[0], v[1], v[2]);
            fesetround(FE_TONEAREST);
            expect_bits(t, bits_get(t, out, (size_t)operation * COUNT + i),
                        flushes ? flush(t, wanted) : wanted, name, i);
        }
    }
    /* The same function, called by a kernel without modes. */
    snprintf(name, sizeof(name), "%s_plain", t->name);
    run(api, module, name, arguments, 4);
    for (size_t i = 0; i < COUNT; i++) {
        expect_bits(t, bits_get(t, out, i), operate(t, 0, bits_get(t, a, i), bits_get(t, b, i), 0),
                    name, i);
    }
    assert_success(zeModuleDestroy(module));
    api_free(api, a);
    api_free(api, b);
    api_free(api, c);
    api_free(api, out);
}

static void kernels_round_as_their_modes_say(void **state)
{
    for (size_t f = 0; f < 3; f++) {
        for (size_t r = 0; r < sizeof(roundings) / sizeof(roundings[0]); r++) {
            modes_hold(*state, &formats[f], r, false);
        }
    }
}

/* Alone, and together with rounding. */
static void kernels_flush_denormals_of_their_widths(void **state)
{
    for (size_t f = 0; f < 3; f++) {
        modes_hold(*state, &formats[f], 3, true);
        modes_hold(*state, &formats[f], 1, true);
    }
}

static void comparisons_flush_denormals(void **state)
{
    struct api *api = *state;
    for (size_t f = 0; f < 3; f++) {
        const struct format *t = &formats[f];
        char name[32];
        snprintf(name, sizeof(name), "%s_compare", t->name);
        const struct mode modes[] = {{SpvExecutionModeDenormFlushToZero, t->width}, {0, 0}};
        ze_module_handle_t module = module_of(api, name, modes);
        void *a = numbers(api, t, 4), *b = numbers(api, t, 5);
        uint32_t *out = api_alloc_shared(api, COUNT * sizeof(*out));
        void *arguments[] = {a, b, out};
        run(api, module, name, arguments, 3);
        for (size_t i = 0; i < COUNT; i++) {
            long double x = value_of(t, flush(t, bits_get(t, a, i)));
            long double y = value_of(t, flush(t, bits_get(t, b, i)));
            assert_int_equal(out[i], (x == y) | (x < y) << 1 | (x == 0) << 2);
        }
        assert_success(zeModuleDestroy(module));
        api_free(api, a);
        api_free(api, b);
        api_free(api, out);
    }
}

static void each_width_has_its_own_modes(void **state)
{
    struct api *api = *state;
    const struct format *t = &formats[1], *u = &formats[2];
    const struct mode modes[] = {{SpvExecutionModeRoundingModeRTZ, 32},
                                 {SpvExecutionModeDenormFlushToZero, 32},
                                 {SpvExecutionModeRoundingModeRTPINTEL, 64},
                                 {0, 0}};
    ze_module_handle_t module = module_of(api, "mixed_modes", modes);
    void *a = numbers(api, t, 6), *b = numbers(api, t, 7), *c = numbers(api, u, 8),
         *d = numbers(api, u, 9);
    void *out = api_alloc_shared(api, 2 * COUNT * 4), *wide = api_alloc_shared(api, 2 * COUNT * 8);
    void *arguments[] = {a, b, out, c, d, wide};
    run(api, module, "mixed_modes", arguments, 6);
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < 2; k++) {
            int operation = k == 0 ? 0 : 2;
            fesetround(FE_TOWARDZERO);
            uint64_t narrow = flush(t, operate(t, operation, flush(t, bits_get(t, a, i)),
                                               flush(t, bits_get(t, b, i)), 0));
            fesetround(FE_UPWARD);
            uint64_t twice = operate(u, operation, bits_get(u, c, i), bits_get(u, d, i), 0);
            fesetround(FE_TONEAREST);
            expect_bits(t, bits_get(t, out, k * COUNT + i), narrow, "mixed", i);
            expect_bits(u, bits_get(u, wide, k * COUNT + i), twice, "mixed", i);
        }
    }
    assert_success(zeModuleDestroy(module));
    api_free(api, a);
    api_free(api, b);
    api_free(api, c);
    api_free(api, d);
    api_free(api, out);
    api_free(api, wide);
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static void conversions_expect(const double *d, const int64_t *l, const void *out,
                               const void *small, const void *wide, int round)
{
    for (size_t i = 0; i < COUNT; i++) {
        volatile double x = d[i];
        volatile int64_t n = l[i];
        volatile uint64_t u = (uint64_t)n;
        volatile int32_t w = (int32_t)n;
        fesetround(round);
        volatile float f[4] = {(float)x, (float)n, (float)u, (float)w};
        uint64_t h[3] = {half_of(x), half_of(f[1]), half_of(n)};
        volatile double e[2] = {(double)n, (double)u};
        fesetround(FE_TONEAREST);
        for (size_t k = 0; k < 4; k++) {
            expect_bits(&formats[1], bits_get(&formats[1], out, k * COUNT + i), float_bits(f[k]),
                        "conversion", k * COUNT + i);
        }
        for (size_t k = 0; k < 3; k++) {
            expect_bits(&formats[0], bits_get(&formats[0], small, k * COUNT + i), h[k],
                        "conversion", k * COUNT + i);
        }
        for (size_t k = 0; k < 2; k++) {
            expect_bits(&formats[2], bits_get(&formats[2], wide, k * COUNT + i), double_bits(e[k]),
                        "conversion", k * COUNT + i);
        }
    }
}

static void conversions_round_as_the_modes_say(void **state)
{
    struct api *api = *state;
    double *d = numbers(api, &formats[2], 10);
    int64_t *l = api_alloc_shared(api, COUNT * sizeof(*l));
    void *out = api_alloc_shared(api, 4 * COUNT * 4), *small = api_alloc_shared(api, 3 * COUNT * 2);
    void *wide = api_alloc_shared(api, 2 * COUNT * 8);
    uint64_t random = 11;
    for (size_t i = 0; i < COUNT; i++) {
        l[i] = (int64_t)(random_next(&random) >> (random_next(&random) % 64));
        l[i] = i % 2 ? l[i] : -l[i];
        d[i] = i % 3 ? ldexp(d[i] == d[i] ? fmod(d[i], 1000) : 1, (int)(i % 300) - 160) : d[i];
    }
    for (size_t r = 0; r < sizeof(roundings) / sizeof(roundings[0]); r++) {
        const struct mode modes[] = {
            {roundings[r].mode, 16}, {roundings[r].mode, 32}, {roundings[r].mode, 64}, {0, 0}};
        ze_module_handle_t module = module_of(api, "convert_modes", modes);
        void *arguments[] = {d, l, out, small, wide};
        run(api, module, "convert_modes", arguments, 5);
        conversions_expect(d, l, out, small, wide, roundings[r].round);
        assert_success(zeModuleDestroy(module));
    }
    api_free(api, d);
    api_free(api, l);
    api_free(api, out);
    api_free(api, small);
    api_free(api, wide);
}

static void modes_that_contradict_are_refused_by_name(void **state)
{
    struct api *api = *state;
    static const struct mode cases[][3] = {
        {{SpvExecutionModeRoundingModeRTZ, 32}, {SpvExecutionModeRoundingModeRTE, 32}},
        {{SpvExecutionModeDenormPreserve, 64}, {SpvExecutionModeDenormFlushToZero, 64}},
        {{SpvExecutionModeFloatingPointModeALTINTEL, 32}},
        {{SpvExecutionModeRoundingModeRTZ, 24}},
    };
    static const char *const names[] = {"RoundingModeRT", "Denorm", "FloatingPointModeALTINTEL",
                                        "RoundingModeRTZ"};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ze_module_handle_t module;
        ze_module_build_log_handle_t log;
        char text[1024] = "";
        size_t length = sizeof(text);
        assert_result(module_try(api, "float_modes", cases[i], &module, &log),
                      ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        assert_success(zeModuleBuildLogGetString(log, &length, text));
        assert_non_null(strstr(text, "float_modes"));
        assert_non_null(strstr(text, names[i]));
        assert_success(zeModuleBuildLogDestroy(log));
    }
}

/* DEV-13 */
static void what_the_device_reports_is_true(void **state)
{
    struct api *api = *state;
    ze_device_module_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    assert_success(zeDeviceGetModuleProperties(api->device, &p));
    ze_device_fp_flags_t all = ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST |
                               ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO | ZE_DEVICE_FP_FLAG_ROUND_TO_INF;
    assert_int_equal(p.fp16flags & all, all);
    assert_int_equal(p.fp32flags & all, all);
    assert_int_equal(p.fp64flags & all, all);
}

static const struct api_case cases[] = {
    {"kernels_round_as_their_modes_say", kernels_round_as_their_modes_say, API_EXECUTES},
    {"kernels_flush_denormals_of_their_widths", kernels_flush_denormals_of_their_widths,
     API_EXECUTES},
    {"comparisons_flush_denormals", comparisons_flush_denormals, API_EXECUTES},
    {"each_width_has_its_own_modes", each_width_has_its_own_modes, API_EXECUTES},
    {"conversions_round_as_the_modes_say", conversions_round_as_the_modes_say, API_EXECUTES},
    {"modes_that_contradict_are_refused_by_name", modes_that_contradict_are_refused_by_name,
     API_EXECUTES},
    API_CASE(what_the_device_reports_is_true),
};

API_MAIN("float modes", cases)
