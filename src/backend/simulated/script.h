/* A value over time, as a script of a description defines it. It is evaluated at the time of a
 * query.
 *
 * Times are in seconds since the backend was opened. Evaluating a script or its integral from 0,
 * which counters need, costs a few operations (for steps: a binary search). No state is kept
 * between queries. */
#ifndef GEO_BACKEND_SIMULATED_SCRIPT_H
#define GEO_BACKEND_SIMULATED_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

enum sim_script_kind {
    SIM_CONSTANT,
    SIM_RAMP,
    SIM_STEPS,
    SIM_SINE,
    SIM_NOISE,
    SIM_COUNTER,
    SIM_SUM,
};

struct sim_point {
    double t, value;
};

struct sim_script {
    enum sim_script_kind kind;
    uint32_t count;  /* number of points or terms */
    double from, to; /* RAMP; CONSTANT and COUNTER use `from` */
    double start_s, end_s;
    double mean, amplitude, period_s, phase_s; /* SINE, NOISE */
    uint64_t seed;                             /* NOISE: depends on the device and the script */
    uint32_t bits;                             /* COUNTER: wraps at 2^bits */
    const struct sim_script *rate;             /* COUNTER: increase per second */
    const struct sim_point *points;            /* STEPS: values with start times, ascending */
    const struct sim_script *const *terms;     /* SUM */
};

/* Returns the value at time t >= 0. */
double sim_script_value(const struct sim_script *script, double t);

/* Returns the integral from 0 to t. Not for counters. */
double sim_script_integral(const struct sim_script *script, double t);

/* Returns an upper bound of all values. Not for counters. */
double sim_script_peak(const struct sim_script *script);

/* Returns the integral of min(script, cap) from t0 to t1. It is exact if the cap is never reached
 * or the script is constant; otherwise it is computed from at most 1,024 samples. */
double sim_script_capped(const struct sim_script *script, double cap, double t0, double t1);

/* Returns a value wrapped to the range from 0 to 2^bits - 1, as a counter shows it. */
uint64_t sim_wrap(double value, uint32_t bits);

#endif
