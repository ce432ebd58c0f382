/* The diagnostic tests. Used by the suites and by unit tests. */
#ifndef GEO_BACKEND_CPU_SYSMAN_DIAGNOSTICS_H
#define GEO_BACKEND_CPU_SYSMAN_DIAGNOSTICS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    GEO_DIAG_MEMORY_TESTS = 4,
    GEO_DIAG_COMPUTE_TESTS = 3,
};

/* Fill words for a test, and return the number of words that have changed since. */
void geo_diag_memory_fill(volatile uint64_t *words, uint64_t count, uint32_t test);
uint64_t geo_diag_memory_check(const volatile uint64_t *words, uint64_t count, uint32_t test);

/* Runs a test on the calling thread's CPU and returns its result, or whether the result is
 * right. */
uint64_t geo_diag_compute(uint32_t test);
bool geo_diag_compute_right(uint32_t test);

#endif
