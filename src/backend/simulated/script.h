/* A value over time: what a script of a description says, evaluated at the time of a question.
 *
 * Time is in seconds since the beginning. A script costs a few operations (steps: a search), and
 * so does its integral from 0, which counters are made of: nothing is kept between questions. */
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
    uint32_t count;  /* of points or terms */
    double from, to; /* RAMP; CONSTANT, COUNTER: from */
    double start_s, end_s;
    double mean, amplitude, period_s, phase_s; /* SINE, NOISE */
    uint64_t seed;                             /* NOISE: of this device and this script */
    uint32_t bits;                             /* COUNTER: it wraps there */
    const struct sim_script *rate;             /* COUNTER: per second */
    const struct sim_point *points;            /* STEPS: values from times on, which rise */
    const struct sim_script *const *terms;     /* SUM */
};

/* t >= 0. */
double sim_script_value(const struct sim_script *script, double t);

/* From 0 to t; not of counters. */
double sim_script_integral(const struct sim_script *script, double t);

/* A bound that no value is above; not of counters. */
double sim_script_peak(const struct sim_script *script);

/* The integral of the smaller of script and cap from t0 to t1: exact while nothing is cut off or
 * the script is constant, else by at most 1,024 readings. */
double sim_script_capped(const struct sim_script *script, double cap, double t0, double t1);

/* Non-negative and below 2^bits: how a counter shows it. */
uint64_t sim_wrap(double value, uint32_t bits);

#endif
