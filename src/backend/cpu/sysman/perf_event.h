/* System calls of performance events. */
#ifndef GEO_BACKEND_CPU_SYSMAN_PERF_EVENT_H
#define GEO_BACKEND_CPU_SYSMAN_PERF_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct geo_tree;

/* Returns whether counting is possible: only on the real machine, not on a recorded one. */
bool geo_perf_event_allowed(const struct geo_tree *tree);

/* Opens a counter of a CPU or its package that belongs to no process. Returns -1 with errno on
 * failure. */
int geo_perf_event_open(uint32_t type, uint64_t config, int cpu, uint64_t *id);

/* Reads a counter. Returns false when the descriptor is not this counter any more or cannot be
 * read. */
bool geo_perf_event_read(int fd, uint64_t id, uint64_t *value);

/* Closes the descriptor if it is still this counter. */
void geo_perf_event_close(int fd, uint64_t id);

#endif
