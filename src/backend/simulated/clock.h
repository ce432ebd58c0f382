/* The time of the simulation, and the lock of all that is simulated: seconds since the backend was
 * opened, by CLOCK_MONOTONIC or, with "clock": "manual", by geoidSimulatedSetTime. */
#ifndef GEO_BACKEND_SIMULATED_CLOCK_H
#define GEO_BACKEND_SIMULATED_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* One lock for all devices: what is done under it takes microseconds. It is kept over fork. */
void sim_lock(void);
void sim_unlock(void);

void sim_clock_start(bool manual);
bool sim_clock_is_manual(void);

/* Under the lock. */
double sim_clock_now_s(void);

/* Under the lock; false when it would go back. */
bool sim_clock_set_ns(uint64_t ns);

/* When a moment of the simulation is by CLOCK_MONOTONIC. */
uint64_t sim_clock_monotonic_ns(double at_s);

/* As outputs have it. */
uint64_t sim_clock_us(double t);

#endif
