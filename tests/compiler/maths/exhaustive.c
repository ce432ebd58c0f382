/* Runs the built-in functions of one float over every step-th float, all of them for step 1, and
 * measures them against the C library's double functions with OpenCL's bounds; prints the largest
 * error of each. What must be exact is: infinities, NaN, the signs of zeros, a range that is never
 * left. The same again at fewer lanes has to give the same bits.
 *
 * usage: exhaustive [--step N] [--jobs J] [FUNCTION...] */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "level.h"

enum { ITEMS = 1 << 20, GROUP = 256 };
#define PI 3.141592653589793238462643383279502884L

static double exact_sinpi(double x)
{
    double size = fmod(fabs(x), 2.0), half = size > 1.0 ? size - 1.0 : size;
    double value = (double)sinl(PI * (long double)(half > 0.5 ? 1.0 - half : half));
    return copysign(1.0, x) * (value != 0.0 && size > 1.0 ? -value : value);
}

static double exact_cospi(double x)
{
    double size = fmod(fabs(x), 2.0), near = size > 1.0 ? 2.0 - size : size;
    return (double)sinl(PI * (0.5L - (long double)near)) + 0.0;
}

static double exact_tanpi(double x)
{
    double turn = fmod(fabs(x), 1.0), odd = fmod(fabs(x), 2.0) >= 1.0 ? -1.0 : 1.0;
    double value = turn == 0.0   ? odd * 0.0
                   : turn == 0.5 ? odd * (double)INFINITY
                                 : (double)tanl(PI * (long double)(turn > 0.5 ? turn - 1.0 : turn));
    return isinf(x) ? (double)NAN : copysign(1.0, x) * value;
}

static double exact_acospi(double x)
{
    return (double)(acosl((long double)x) / PI);
}

static double exact_asinpi(double x)
{
    return (double)(asinl((long double)x) / PI);
}

static double exact_atanpi(double x)
{
    return (double)(atanl((long double)x) / PI);
}

static double exact_rsqrt(double x)
{
    return 1.0 / sqrt(x);
}

struct function {
    const char *name;
    double (*exact)(double);
    double bound;
};

static const struct function functions[] = {
#define FUNCTION(name, exact, bound) {#name, exact, bound},
#include "functions.def"
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* What a run at some lane count has found; in memory that processes share. */
struct finding {
    double worst;
    float input, output;
    uint64_t hash; /* of all results, NaN as one value */
};

/* Error in units in the last place of the exact result as a float. */
static double error_of(float got, double exact)
{
    const double beyond = 0x1p128;
    double value = (double)got;
    int exponent;
    if (isnan(got) || isnan(exact)) {
        return isnan(got) && isnan(exact) ? 0.0 : (double)INFINITY;
    }
    if (value == exact) {
        return value == 0.0 && signbit(value) != signbit(exact) ? (double)INFINITY : 0.0;
    }
    value = isinf(value) ? copysign(beyond, value) : value;
    exact = fabs(exact) > beyond ? copysign(beyond, exact) : exact;
    frexp(exact, &exponent);
    exponent = exponent < FLT_MIN_EXP || exact == 0.0 ? FLT_MIN_EXP : exponent;
    return fabs(value - exact) / ldexp(1.0, exponent - FLT_MANT_DIG);
}

static void judge(const struct function *function, struct finding *finding, const float *out,
                  uint32_t first, uint32_t step, size_t count, int measured)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = first + (uint32_t)i * step, result;
        float x;
        memcpy(&x, &bits, sizeof(x));
        memcpy(&result, &out[i], sizeof(result));
        finding->hash = (finding->hash ^ (isnan(out[i]) ? 0x7fc00000u : result)) * 0x100000001b3u;
        double error = measured ? error_of(out[i], function->exact((double)x)) : 0.0;
        if (error > finding->worst) {
            finding->worst = error;
            finding->input = x;
            finding->output = out[i];
        }
    }
}

static void function_run(struct example *ze, ze_module_handle_t module, size_t index, float *out,
                         uint32_t step, int measured, struct finding *finding)
{
    /* the second: every sign and exponent, infinities and zeros among them */
    const uint32_t steps[] = {step, 1u << 19};
    char name[64];
    snprintf(name, sizeof(name), "maths_%s", functions[index].name);
    ze_kernel_handle_t kernel = example_kernel(ze, module, name);
    CHECK(ze, zeKernelSetGroupSize(kernel, GROUP, 1, 1));
    example_arg(ze, kernel, 0, sizeof(out), &out);
    for (int s = 0; s < 2; s++) {
        example_arg(ze, kernel, 2, sizeof(steps[s]), &steps[s]);
        for (uint64_t first = 0; first < 1ull << 32; first += (uint64_t)ITEMS * steps[s]) {
            uint32_t bits = (uint32_t)first;
            uint64_t left = ((1ull << 32) - first + steps[s] - 1) / steps[s];
            example_arg(ze, kernel, 1, sizeof(bits), &bits);
            example_launch(ze, kernel, ITEMS / GROUP, 1);
            judge(&functions[index], finding, out, bits, steps[s],
                  left < ITEMS ? (size_t)left : ITEMS, measured);
        }
    }
    CHECK(ze, zeKernelDestroy(kernel));
}

/* In a process of its own: the number of lanes is an option of the driver. Every jobs-th of the
 * chosen functions. */
static void lanes_run(const char *lanes, uint32_t step, int measured, const char *chosen, int job,
                      int jobs, struct finding *findings)
{
    struct example ze;
    setenv("GEOID_LANES", lanes, 1);
    example_open(&ze, "exhaustive");
    ze_module_handle_t module = example_module(&ze, "exhaustive.spv");
    float *out = example_alloc(&ze, ITEMS * sizeof(*out));
    for (size_t i = 0, n = 0; i < FUNCTIONS; i++) {
        if (chosen[i] && (int)(n++ % (size_t)jobs) == job) {
            function_run(&ze, module, i, out, step, measured, &findings[i]);
        }
    }
    example_free(&ze, out);
    CHECK(&ze, zeModuleDestroy(module));
    example_close(&ze);
}

static int all_run(const char *lanes, uint32_t step, int measured, const char *chosen, int jobs,
                   struct finding *findings)
{
    int failed = 0, status;
    fflush(stdout);
    for (int job = 0; job < jobs; job++) {
        pid_t child = fork();
        if (child < 0) {
            return 1;
        }
        if (child == 0) {
            lanes_run(lanes, step, measured, chosen, job, jobs, findings);
            exit(0);
        }
    }
    while (wait(&status) > 0) {
        failed |= status != 0;
    }
    return failed;
}

int main(int argc, char **argv)
{
    enum { LANE_COUNTS = 3, WIDTH_STEP = 1021 };
    static const char *const lanes[LANE_COUNTS] = {"16", "8", "1"};
    char chosen[FUNCTIONS] = {0};
    uint32_t step = 1;
    int jobs = 1, failed = 0, any = 0;
    level_demand();
    for (int i = 1; i < argc; i++) {
        if (i + 1 < argc && strcmp(argv[i], "--step") == 0) {
            step = (uint32_t)strtoul(argv[++i], NULL, 0);
        } else if (i + 1 < argc && strcmp(argv[i], "--jobs") == 0) {
            jobs = (int)strtol(argv[++i], NULL, 0);
        } else {
            int known = 0;
            for (size_t f = 0; f < FUNCTIONS; f++) {
                known |= chosen[f] |= strcmp(argv[i], functions[f].name) == 0;
            }
            any = 1;
            if (!known) {
                fprintf(stderr, "exhaustive: no function %s\n", argv[i]);
                return 2;
            }
        }
    }
    if (step == 0 || jobs < 1) {
        fprintf(stderr, "exhaustive: step and jobs are at least 1\n");
        return 2;
    }
    if (!any) {
        memset(chosen, 1, sizeof(chosen));
    }
    struct finding *found = mmap(NULL, sizeof(*found) * FUNCTIONS * (LANE_COUNTS + 1),
                                 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) {
        return 1;
    }
    failed |= all_run(lanes[0], step, 1, chosen, jobs, found);
    for (int l = 0; l < LANE_COUNTS; l++) {
        failed |= all_run(lanes[l], WIDTH_STEP, 0, chosen, jobs, found + (l + 1) * FUNCTIONS);
    }
    for (size_t i = 0; i < FUNCTIONS; i++) {
        const struct finding *narrow = found + FUNCTIONS + i;
        int wrong = found[i].worst > functions[i].bound,
            differs = narrow->hash != narrow[FUNCTIONS].hash ||
                      narrow->hash != narrow[(size_t)2 * FUNCTIONS].hash;
        if (chosen[i]) {
            printf("%-8s %8.3f ulp of %-4g at %-14a gives %a%s%s\n", functions[i].name,
                   found[i].worst, functions[i].bound, (double)found[i].input,
                   (double)found[i].output, wrong ? "; too much" : "",
                   differs ? "; lane counts differ" : "");
            failed |= wrong | differs;
        }
    }
    return failed;
}
