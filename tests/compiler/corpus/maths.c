/* Corpus of kernels: measured errors of built-in maths. See maths.h. */
#include "maths.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data.h"

static long double element(const struct corpus_run *run, size_t arg, size_t index)
{
    float f32;
    double f64;
    int32_t i32;
    switch (run->test->args[arg].type) {
    case F32:
        memcpy(&f32, run->memory[arg] + index * sizeof(f32), sizeof(f32));
        return (long double)f32;
    case F64:
        memcpy(&f64, run->memory[arg] + index * sizeof(f64), sizeof(f64));
        return (long double)f64;
    default:
        memcpy(&i32, run->memory[arg] + index * sizeof(i32), sizeof(i32));
        return (long double)i32;
    }
}

/* Distance of neighbours of the type at a magnitude. */
static long double spacing(enum corpus_type type, long double value)
{
    int digits = type == F32 ? FLT_MANT_DIG : DBL_MANT_DIG,
        lowest = type == F32 ? FLT_MIN_EXP : DBL_MIN_EXP;
    int exponent = lowest;
    if (value != 0.0L) {
        frexpl(fabsl(value), &exponent);
    }
    return ldexpl(1.0L, (exponent > lowest ? exponent : lowest) - digits);
}

/* Error in units in the last place; 0 when both are NaN or the same infinity. */
static long double error_of(const struct corpus_maths *maths, enum corpus_type type,
                            long double got, long double exact)
{
    long double largest = type == F32 ? (long double)FLT_MAX : (long double)DBL_MAX;
    if (isnan(exact) || isnan(got)) {
        return isnan(exact) && isnan(got) ? 0.0L : INFINITY;
    }
    if (got == exact) {
        return 0.0L;
    }
    if (isinf(got)) { /* right when the exact result rounds to infinity, or nearly so */
        got = copysignl(largest + spacing(type, largest), got);
    }
    if (fabsl(exact) > largest) {
        exact = copysignl(largest + spacing(type, largest), exact);
    }
    long double magnitude =
        fabsl(exact) > (long double)maths->floor ? exact : (long double)maths->floor;
    return fabsl(got - exact) / spacing(type, magnitude);
}

bool corpus_maths_check(const struct corpus_run *run, char *text, size_t text_bytes)
{
    const struct corpus_maths *maths = run->test->maths;
    size_t inputs[3] = {0, 0, 0}, input_count = 0, output = 0;
    for (size_t i = 0; i < run->count; i++) {
        if (run->test->args[i].kind == ARG_IN && input_count < 3) {
            inputs[input_count++] = i;
        } else if (run->test->args[i].kind == ARG_OUT) {
            output = i;
        }
    }
    enum corpus_type type = run->test->args[output].type;
    long double bound = (long double)(type == F32 ? maths->ulp_f32 : maths->ulp_f64), worst = bound;
    size_t wrong = 0;
    for (size_t k = 0; k < run->elements[output]; k++) {
        long double x[3] = {0, 0, 0};
        bool judged = true;
        for (size_t i = 0; i < input_count; i++) {
            x[i] = element(run, inputs[i], k);
            judged &= !maths->finite_only || isfinite(x[i]);
        }
        if (!judged) {
            continue;
        }
        long double exact = maths->one   ? maths->one(x[0])
                            : maths->two ? maths->two(x[0], x[1])
                                         : maths->three(x[0], x[1], x[2]);
        long double got = element(run, output, k), error = error_of(maths, type, got, exact);
        if (error > bound) {
            wrong++;
        }
        if (error > worst) {
            worst = error;
            snprintf(
                text, text_bytes,
                "[%zu] (%.17Lg, %.17Lg, %.17Lg) gives %.17Lg, not %.17Lg: %.1Lf ulp, %.1Lf allowed",
                k, x[0], x[1], x[2], got, exact, error, bound);
        }
    }
    size_t used = strlen(text);
    if (wrong && used < text_bytes) {
        snprintf(text + used, text_bytes - used, "; %zu of %zu wrong, this is the worst", wrong,
                 run->elements[output]);
    }
    return wrong == 0;
}
