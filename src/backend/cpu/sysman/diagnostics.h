/* The tests themselves, for the suites and for tests of them. */
#ifndef GEO_BACKEND_CPU_SYSMAN_DIAGNOSTICS_H
#define GEO_BACKEND_CPU_SYSMAN_DIAGNOSTICS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    GEO_DIAG_MEMORY_TESTS = 4,
    GEO_DIAG_COMPUTE_TESTS = 3,
};

/* Fills words for a test; how many are not as it left them. */
void geo_diag_memory_fill(volatile uint64_t *words, uint64_t count, uint32_t test);
uint64_t geo_diag_memory_check(const volatile uint64_t *words, uint64_t count, uint32_t test);

/* What the CPU of the calling thread computes, and what must come of it. */
uint64_t geo_diag_compute(uint32_t test);
bool geo_diag_compute_right(uint32_t test);

#endif
