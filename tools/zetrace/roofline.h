/* The roofline picture: operations per second of kernels over operations per byte, below what the
 * processors can do. It is filled by two runs of the program: one that is not measured, for the
 * times of kernels, and one with the group of metrics ROOFLINE_METRICS, for their operations. */
#ifndef TOOLS_ZETRACE_ROOFLINE_H
#define TOOLS_ZETRACE_ROOFLINE_H

#include "peaks.h"
#include "trace.h"

#define ROOFLINE_METRICS "Operations"

struct roofline;

struct roofline *roofline_create(void);
void roofline_destroy(struct roofline *roofline);
/* Takes the times of kernels. */
void roofline_time(struct roofline *roofline, const struct trace_summary *summary);
/* Takes the operations and bytes of kernels. */
void roofline_operations(struct roofline *roofline, struct trace_metrics *metrics);
/* Writes the picture, and a table of its numbers to `table`, unless that is NULL. Returns false
 * after a line on standard error if no kernel has operations, or if memory or the file failed. */
bool roofline_write(struct roofline *roofline, const struct peaks *peaks, const char *path,
                    FILE *table);

#endif
