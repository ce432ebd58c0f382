/* Evaluates values over time. See script.h. */
#include "backend/simulated/script.h"

#include <math.h>
#include <stddef.h>

#define TWO_PI  6.283185307179586476925286766559
#define PANELS  1024u
#define PANEL_S 0.001

/* ---- noise ---- */

/* Returns a pseudo-random number from -1/2 to 1/2 for any number. */
static double hash(uint64_t seed, double number)
{
    uint64_t x = seed + (uint64_t)(int64_t)number * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    x ^= x >> 31;
    return (double)(x >> 11) * 0x1p-53 - 0.5;
}

/* Returns the number of whole periods up to t, and the remainder in seconds. Beyond 2^53 periods
 * the remainder is 0. */
static double periods(const struct sim_script *script, double t, double *rest)
{
    const double whole = floor(fmin(t / script->period_s, 0x1p53));
    *rest = fmax(t - whole * script->period_s, 0);
    return whole;
}

/* Noise is the difference of the hashes of two neighbouring periods, so it stays within the
 * amplitude. The sum over periods is the difference of the last and the first hash, so integrals
 * need no loop. */
static double noise_value(const struct sim_script *script, double t)
{
    double rest;
    const double period = periods(script, t, &rest);
    return script->mean +
           script->amplitude * (hash(script->seed, period + 1) - hash(script->seed, period));
}

static double noise_integral(const struct sim_script *script, double t)
{
    double rest;
    const double period = periods(script, t, &rest);
    const double now = hash(script->seed, period);
    return script->mean * t +
           script->amplitude * (script->period_s * (now - hash(script->seed, 0)) +
                                rest * (hash(script->seed, period + 1) - now));
}

/* ---- sine ---- */

static double sine_value(const struct sim_script *script, double t)
{
    return script->mean +
           script->amplitude *
               sin(TWO_PI * fmod(t - script->phase_s, script->period_s) / script->period_s);
}

static double sine_integral(const struct sim_script *script, double t)
{
    const double start = TWO_PI * fmod(-script->phase_s, script->period_s) / script->period_s;
    const double end = TWO_PI * fmod(t - script->phase_s, script->period_s) / script->period_s;
    return script->mean * t +
           script->amplitude * script->period_s / TWO_PI * (cos(start) - cos(end));
}

/* ---- steps, ramps ---- */

/* Returns the last point whose time t has reached, or the first point. */
static uint32_t step_find(const struct sim_script *script, double t)
{
    uint32_t low = 0, high = script->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (script->points[middle].t <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static double steps_integral(const struct sim_script *script, double t)
{
    double sum = 0, before = 0;
    for (uint32_t i = 0; i < script->count; i++) {
        const bool last = i + 1 == script->count;
        const double until = last ? t : fmin(t, script->points[i + 1].t);
        if (until <= before) {
            break;
        }
        sum += script->points[i].value * (until - before);
        before = until;
    }
    return sum;
}

static double ramp_value(const struct sim_script *script, double t)
{
    const double share = (t - script->start_s) / (script->end_s - script->start_s);
    return script->from + (script->to - script->from) * fmin(fmax(share, 0), 1);
}

static double ramp_integral(const struct sim_script *script, double t)
{
    const double start = fmin(t, script->start_s), end = fmin(t, script->end_s);
    const double risen = (script->from + ramp_value(script, end)) / 2 * (end - start);
    return script->from * start + risen + script->to * (t - end);
}

/* ---- evaluation ---- */

static double counter_value(const struct sim_script *script, double t)
{
    const double value = script->from + sim_script_integral(script->rate, t);
    return script->bits < 64 ? fmod(value, ldexp(1, (int)script->bits)) : value;
}

/* Returns the sum of the function's values for all terms. The reader bounds the nesting. */
static double terms_sum(const struct sim_script *script, double t,
                        double (*function)(const struct sim_script *, double))
{
    double sum = 0;
    for (uint32_t i = 0; i < script->count; i++) {
        sum += function(script->terms[i], t);
    }
    return sum;
}

double sim_script_value(const struct sim_script *script, double t)
{
    switch (script->kind) {
    case SIM_CONSTANT:
        return script->from;
    case SIM_RAMP:
        return ramp_value(script, t);
    case SIM_STEPS:
        return script->points[step_find(script, t)].value;
    case SIM_SINE:
        return sine_value(script, t);
    case SIM_NOISE:
        return noise_value(script, t);
    case SIM_COUNTER:
        return counter_value(script, t);
    case SIM_SUM:
        break;
    }
    return terms_sum(script, t, sim_script_value);
}

double sim_script_integral(const struct sim_script *script, double t)
{
    switch (script->kind) {
    case SIM_CONSTANT:
        return script->from * t;
    case SIM_RAMP:
        return ramp_integral(script, t);
    case SIM_STEPS:
        return steps_integral(script, t);
    case SIM_SINE:
        return sine_integral(script, t);
    case SIM_NOISE:
        return noise_integral(script, t);
    case SIM_COUNTER:
        return 0;
    case SIM_SUM:
        break;
    }
    return terms_sum(script, t, sim_script_integral);
}

double sim_script_peak(const struct sim_script *script)
{
    double peak = 0;
    switch (script->kind) {
    case SIM_CONSTANT:
    case SIM_COUNTER:
        return script->from;
    case SIM_RAMP:
        return fmax(script->from, script->to);
    case SIM_SINE:
    case SIM_NOISE:
        return script->mean + fabs(script->amplitude);
    case SIM_STEPS:
        peak = script->points[0].value;
        for (uint32_t i = 1; i < script->count; i++) {
            peak = fmax(peak, script->points[i].value);
        }
        return peak;
    case SIM_SUM:
        break;
    }
    for (uint32_t i = 0; i < script->count; i++) {
        peak += sim_script_peak(script->terms[i]);
    }
    return peak;
}

double sim_script_capped(const struct sim_script *script, double cap, double t0, double t1)
{
    if (sim_script_peak(script) <= cap) {
        return sim_script_integral(script, t1) - sim_script_integral(script, t0);
    }
    if (script->kind == SIM_CONSTANT) {
        return cap * (t1 - t0);
    }
    const double wanted = ceil((t1 - t0) / PANEL_S);
    const uint32_t panels = wanted < 1 ? 1 : wanted > PANELS ? PANELS : (uint32_t)wanted;
    const double width = (t1 - t0) / panels;
    double sum = 0;
    for (uint32_t i = 0; i < panels; i++) {
        sum += fmin(sim_script_value(script, t0 + (i + 0.5) * width), cap) * width;
    }
    return sum;
}

uint64_t sim_wrap(double value, uint32_t bits)
{
    if (!(value > 0) || !isfinite(value)) {
        return 0;
    }
    const double range = ldexp(1, (int)bits), rest = fmod(value, range);
    return rest >= 0x1p64 ? UINT64_MAX : (uint64_t)rest;
}
