/* The system calls of performance events. */
#ifndef GEO_BACKEND_CPU_SYSMAN_PERF_EVENT_H
#define GEO_BACKEND_CPU_SYSMAN_PERF_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct geo_tree;

/* The system counts for the real machine alone. */
bool geo_perf_allowed(const struct geo_tree *tree);

/* A counter of a CPU's or its package's events, of no process. -1 with errno. */
int geo_perf_event_open(uint32_t type, uint64_t config, int cpu, uint64_t *id);

/* False: the descriptor is not this counter any more, or cannot be read. */
bool geo_perf_event_read(int fd, uint64_t id, uint64_t *value);

/* Closes it, if it still is this counter. */
void geo_perf_event_close(int fd, uint64_t id);

#endif
