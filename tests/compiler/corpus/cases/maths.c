/* The maths of OpenCL.std, float and double. Functions with one plain result are measured against
 * long double (maths_oracle.h); the rest is compared with the reference. */
#include "../corpus.h"
#include "maths_oracle.h"
#include "shapes.h"

static const struct corpus_shape shapes[] = {SHAPE1(101, 7), SHAPE1(2, 64), SHAPE_END};

#define DEFINE_ONE(name, exact, f32, f64)                                                          \
    static const struct corpus_maths maths_##name = {.one = exact, .ulp_f32 = f32, .ulp_f64 = f64};
#define DEFINE_TWO(name, exact, f32, f64)                                                          \
    static const struct corpus_maths maths_##name = {.two = exact, .ulp_f32 = f32, .ulp_f64 = f64};
#define DEFINE_THREE(name, exact, f32, f64)                                                        \
    static const struct corpus_maths maths_##name = {                                              \
        .three = exact, .ulp_f32 = f32, .ulp_f64 = f64};
MATHS_TRIG(DEFINE_ONE)
MATHS_ARC(DEFINE_ONE)
MATHS_EXP(DEFINE_ONE)
MATHS_TWO(DEFINE_TWO)
MATHS_INT(DEFINE_TWO)
MATHS_THREE(DEFINE_THREE)

/* The specification gives no bound for lgamma; near its zeros only the absolute error means
 * something. */
static const struct corpus_maths maths_lgamma = {
    .one = lgammal, .ulp_f32 = 64, .ulp_f64 = 64, .floor = 4.0};
/* half_* have 8192 ulp; native_* leave it open, and no less is expected of them here. */
static const struct corpus_maths loose_cos = {.one = cosl, .ulp_f32 = 8192, .floor = 0.01};
static const struct corpus_maths loose_sin = {.one = sinl, .ulp_f32 = 8192};
static const struct corpus_maths loose_exp = {.one = expl, .ulp_f32 = 8192};
static const struct corpus_maths loose_exp2 = {.one = exp2l, .ulp_f32 = 8192};
static const struct corpus_maths loose_log = {.one = logl, .ulp_f32 = 8192, .floor = 0.01};
static const struct corpus_maths loose_log2 = {.one = log2l, .ulp_f32 = 8192, .floor = 0.01};
static const struct corpus_maths loose_sqrt = {.one = sqrtl, .ulp_f32 = 8192};
static const struct corpus_maths loose_rsqrt = {.one = oracle_rsqrt, .ulp_f32 = 8192};
static const struct corpus_maths loose_recip = {.one = oracle_recip, .ulp_f32 = 8192};
static const struct corpus_maths loose_powr = {.two = oracle_powr, .ulp_f32 = 8192};
static const struct corpus_maths loose_divide = {.two = oracle_divide, .ulp_f32 = 8192};
static const struct corpus_maths maths_max3 = {.one = oracle_max3};

/* pocl 3.1 makes +0 of -0 and of -infinity, against OpenCL C 7.5.1. */
#define DEFINE_FRACT(name, type, limit)                                                            \
    static void name(struct corpus_run *run)                                                       \
    {                                                                                              \
        const type *in = (const type *)(const void *)run->memory[0];                               \
        type *out = (type *)(void *)run->memory[1];                                                \
        for (size_t i = 0; i < run->items; i++) {                                                  \
            double x = (double)in[i], below = floor(x);                                            \
            double rest = isnan(x)             ? x                                                 \
                          : isinf(x) || x == 0 ? copysign(0, x)                                    \
                                               : (double)(type)((type)x - (type)below);            \
            out[2 * i] = (type)(rest > (limit) ? (limit) : rest);                                  \
            out[2 * i + 1] = (type)below;                                                          \
        }                                                                                          \
    }
DEFINE_FRACT(expect_fract_F32, float, 0x1.fffffep-1)
DEFINE_FRACT(expect_fract_F64, double, 0x1.fffffffffffffp-1)

#define ONE(name_, oracle, TYPE, gen)                                                              \
    {.kernel = name_,                                                                              \
     .args = {IN(TYPE, gen), OUT(TYPE)},                                                           \
     .shapes = shapes,                                                                             \
     .maths = &maths_##oracle},
#define TWO(name_, oracle, TYPE, second, gen)                                                      \
    {.kernel = name_,                                                                              \
     .args = {IN(TYPE, gen), IN(second, gen), OUT(TYPE)},                                          \
     .shapes = shapes,                                                                             \
     .maths = &maths_##oracle},
#define THREE(name_, oracle, TYPE)                                                                 \
    {.kernel = name_,                                                                              \
     .args = {IN(TYPE, GEN_WIDE), IN(TYPE, GEN_WIDE), IN(TYPE, GEN_WIDE), OUT(TYPE)},              \
     .shapes = shapes,                                                                             \
     .maths = &maths_##oracle},

#define LOOSE(name_, oracle, gen)                                                                  \
    {.kernel = name_, .args = {IN(F32, gen), OUT(F32)}, .shapes = shapes, .maths = &oracle}

#define ONE_F32(name, ...)   ONE(#name "_f32", name, F32, GEN_WIDE)
#define ONE_F64(name, ...)   ONE(#name "_f64", name, F64, GEN_WIDE)
#define TWO_F32(name, ...)   TWO(#name "_f32", name, F32, F32, GEN_WIDE)
#define TWO_F64(name, ...)   TWO(#name "_f64", name, F64, F64, GEN_WIDE)
#define INT_F32(name, ...)   TWO(#name "_f32", name, F32, I32, GEN_WIDE)
#define INT_F64(name, ...)   TWO(#name "_f64", name, F64, I32, GEN_WIDE)
#define THREE_F32(name, ...) THREE(#name "_f32", name, F32)
#define THREE_F64(name, ...) THREE(#name "_f64", name, F64)

/* Compared with the reference, or by vectors of the functions above. */
#define MORE(S, TYPE)                                                                              \
    {.kernel = "fract_" S,                                                                         \
     .args = {IN(TYPE, GEN_WIDE), OUT_N(TYPE, 2)},                                                 \
     .shapes = shapes,                                                                             \
     .flags = CORPUS_NO_POCL,                                                                      \
     .expect = expect_fract_##TYPE},                                                               \
        {.kernel = "modf_" S, .args = {IN(TYPE, GEN_WIDE), OUT_N(TYPE, 2)}, .shapes = shapes},     \
        {.kernel = "sincos_" S,                                                                    \
         .args = {IN(TYPE, GEN_RANDOM), OUT_N(TYPE, 2)},                                           \
         .shapes = shapes,                                                                         \
         .ulp = 8},                                                                                \
        {.kernel = "frexp_" S,                                                                     \
         .args = {IN(TYPE, GEN_WIDE), OUT(TYPE), OUT(I32)},                                        \
         .shapes = shapes},                                                                        \
        {.kernel = "ilogb_" S, .args = {IN(TYPE, GEN_WIDE), OUT(I32)}, .shapes = shapes},          \
        {.kernel = "remquo_" S,                                                                    \
         .args = {IN(TYPE, GEN_WIDE), IN(TYPE, GEN_WIDE), OUT(TYPE), OUT(I32)},                    \
         .shapes = shapes},                                                                        \
        {.kernel = "global_result_" S,                                                             \
         .args = {IN(TYPE, GEN_WIDE), OUT(TYPE), OUT(TYPE)},                                       \
         .shapes = shapes},                                                                        \
        {.kernel = "vectors2_" S,                                                                  \
         .args = {IN_N(TYPE, GEN_RANDOM, 2), OUT_N(TYPE, 2)},                                      \
         .shapes = corpus_short,                                                                   \
         .ulp = 4},                                                                                \
        {.kernel = "vectors3_" S,                                                                  \
         .args = {IN_N(TYPE, GEN_RANDOM, 3), OUT_N(TYPE, 3)},                                      \
         .shapes = corpus_short},                                                                  \
        {.kernel = "vectors4_sin_" S,                                                              \
         .args = {IN_N(TYPE, GEN_RANDOM, 4), OUT_N(TYPE, 4)},                                      \
         .shapes = corpus_short,                                                                   \
         .maths = &maths_sin},                                                                     \
        {.kernel = "vectors8_exp_" S,                                                              \
         .args = {IN_N(TYPE, GEN_RANDOM, 8), OUT_N(TYPE, 8)},                                      \
         .shapes = corpus_short,                                                                   \
         .maths = &maths_exp},                                                                     \
        {.kernel = "vectors16_fmax_" S,                                                            \
         .args = {IN_N(TYPE, GEN_WIDE, 16), OUT_N(TYPE, 16)},                                      \
         .shapes = corpus_short,                                                                   \
         .maths = &maths_max3},                                                                    \
        {.kernel = "vectors4_pow_" S,                                                              \
         .args = {IN_N(TYPE, GEN_POSITIVE, 4), IN_N(TYPE, GEN_UNIT, 4), OUT_N(TYPE, 4)},           \
         .shapes = corpus_short,                                                                   \
         .maths = &maths_pow},                                                                     \
        {.kernel = "divergent_" S,                                                                 \
         .args = {IN(TYPE, GEN_RANDOM), OUT(TYPE)},                                                \
         .shapes = shapes,                                                                         \
         .ulp = 16},                                                                               \
        {.kernel = "in_loop_" S,                                                                   \
         .args = {IN(TYPE, GEN_RANDOM), OUT(TYPE)},                                                \
         .shapes = shapes,                                                                         \
         .ulp = 16,                                                                                \
         .near = 1e-5}

static const struct corpus_case trig_f32[] = {MATHS_TRIG(ONE_F32)};
static const struct corpus_case trig_f64[] = {MATHS_TRIG(ONE_F64)};
static const struct corpus_case arc_f32[] = {MATHS_ARC(ONE_F32)};
static const struct corpus_case arc_f64[] = {MATHS_ARC(ONE_F64)};
static const struct corpus_case exp_f32[] = {MATHS_EXP(ONE_F32)
                                                 ONE("lgamma_f32", lgamma, F32, GEN_WIDE)};
static const struct corpus_case exp_f64[] = {MATHS_EXP(ONE_F64)
                                                 ONE("lgamma_f64", lgamma, F64, GEN_WIDE)};
static const struct corpus_case two_f32[] = {MATHS_TWO(TWO_F32) MATHS_INT(INT_F32) MATHS_THREE(
    THREE_F32){.kernel = "nextafter_f32",
               .args = {IN(F32, GEN_WIDE), IN(F32, GEN_WIDE), OUT(F32)},
               .shapes = shapes}};
static const struct corpus_case two_f64[] = {MATHS_TWO(TWO_F64) MATHS_INT(INT_F64) MATHS_THREE(
    THREE_F64){.kernel = "nextafter_f64",
               .args = {IN(F64, GEN_WIDE), IN(F64, GEN_WIDE), OUT(F64)},
               .shapes = shapes}};
static const struct corpus_case more_f64[] = {MORE("f64", F64)};
static const struct corpus_case more_f32[] = {
    MORE("f32", F32),
    LOOSE("half_cos_f32", loose_cos, GEN_RANDOM),
    LOOSE("half_exp_f32", loose_exp, GEN_UNIT),
    LOOSE("half_log2_f32", loose_log2, GEN_POSITIVE),
    LOOSE("half_rsqrt_f32", loose_rsqrt, GEN_POSITIVE),
    LOOSE("half_sqrt_f32", loose_sqrt, GEN_POSITIVE),
    LOOSE("native_sin_f32", loose_sin, GEN_UNIT),
    LOOSE("native_exp2_f32", loose_exp2, GEN_UNIT),
    LOOSE("native_log_f32", loose_log, GEN_POSITIVE),
    LOOSE("native_recip_f32", loose_recip, GEN_POSITIVE),
    LOOSE("native_rsqrt_f32", loose_rsqrt, GEN_POSITIVE),
    {.kernel = "native_divide_f32",
     .args = {IN(F32, GEN_RANDOM), IN(F32, GEN_POSITIVE), OUT(F32)},
     .shapes = shapes,
     .maths = &loose_divide},
    {.kernel = "half_powr_f32",
     .args = {IN(F32, GEN_POSITIVE), IN(F32, GEN_UNIT), OUT(F32)},
     .shapes = shapes,
     .maths = &loose_powr},
};

/* Built with -cl-fast-relaxed-math: OpenCL C's bounds for that, and the same bits at every width. */
static const struct corpus_maths fast_sin = {.one = sinl, .ulp_f32 = 2, .floor = 0x1p13};
static const struct corpus_maths fast_cos = {.one = cosl, .ulp_f32 = 2, .floor = 0x1p13};
static const struct corpus_maths fast_exp = {.one = expl, .ulp_f32 = 5};
static const struct corpus_maths fast_log = {.one = logl, .ulp_f32 = 4, .floor = 1.0};
static const struct corpus_maths fast_sqrt = {.one = sqrtl, .ulp_f32 = 4};
static const struct corpus_maths fast_rsqrt = {.one = oracle_rsqrt, .ulp_f32 = 4};
static const struct corpus_maths fast_divide = {.two = oracle_divide, .ulp_f32 = 2.5};
static const struct corpus_maths fast_divide_overflowing = {.two = oracle_divide_overflowing};
static const struct corpus_maths fast_recip_overflowing = {.one = oracle_recip_overflowing};
static const struct corpus_maths fast_pow = {.two = oracle_powr, .ulp_f32 = 64};

#define RELAXED(kernel_, name_, gen)                                                               \
    {.kernel = kernel_, .args = {IN(F32, gen), OUT(F32)}, .shapes = shapes, .maths = &fast_##name_}
#define RELAXED_TWO(kernel_, name_, second)                                                        \
    {.kernel = kernel_,                                                                            \
     .args = {IN(F32, GEN_POSITIVE), IN(F32, second), OUT(F32)},                                   \
     .shapes = shapes,                                                                             \
     .maths = &fast_##name_}
static const struct corpus_case relaxed[] = {
    RELAXED("relaxed_sin", sin, GEN_UNIT),
    RELAXED("relaxed_cos", cos, GEN_UNIT),
    RELAXED("relaxed_exp", exp, GEN_UNIT),
    RELAXED("relaxed_log", log, GEN_POSITIVE),
    RELAXED("relaxed_sqrt", sqrt, GEN_POSITIVE),
    RELAXED("relaxed_rsqrt", rsqrt, GEN_POSITIVE),
    RELAXED("relaxed_recip_overflowing", recip_overflowing, GEN_POSITIVE),
    RELAXED_TWO("relaxed_divide", divide, GEN_POSITIVE),
    RELAXED_TWO("relaxed_divide_overflowing", divide_overflowing, GEN_POSITIVE),
    RELAXED_TWO("relaxed_pow", pow, GEN_UNIT),
};

TOPIC_FILES(maths_f32, CORPUS_FILE("maths_trig_f32", trig_f32),
            CORPUS_FILE("maths_arc_f32", arc_f32), CORPUS_FILE("maths_exp_f32", exp_f32),
            CORPUS_FILE("maths_two_f32", two_f32), CORPUS_FILE("maths_more_f32", more_f32),
            CORPUS_FILE_BUILT("relaxed", relaxed, "-cl-fast-relaxed-math"));
TOPIC_FILES(maths_f64, CORPUS_FILE("maths_trig_f64", trig_f64),
            CORPUS_FILE("maths_arc_f64", arc_f64), CORPUS_FILE("maths_exp_f64", exp_f64),
            CORPUS_FILE("maths_two_f64", two_f64), CORPUS_FILE("maths_more_f64", more_f64));
