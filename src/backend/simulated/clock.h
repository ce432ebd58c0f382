/* The simulated time, and the lock of all simulated state. The time is in seconds since the backend
 * was opened, from CLOCK_MONOTONIC or, with "clock": "manual", set by geoidSimulatedSetTime. */
#ifndef GEO_BACKEND_SIMULATED_CLOCK_H
#define GEO_BACKEND_SIMULATED_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Lock and unlock all devices. Operations under the lock take microseconds. A fork holds it. */
void sim_lock(void);
void sim_unlock(void);

void sim_clock_start(bool manual);
bool sim_clock_is_manual(void);

/* Returns the current time. The lock is held. */
double sim_clock_now_s(void);

/* Sets the time. Returns false when it would go backwards. The lock is held. */
bool sim_clock_set_ns(uint64_t ns);

/* Converts a simulated time to CLOCK_MONOTONIC. */
uint64_t sim_clock_monotonic_ns(double at_s);

/* Converts a simulated time to the microseconds of API results. */
uint64_t sim_clock_us(double t);

#endif
