/* Emits the counters of kernels that count what they do (GEO_KERNEL_COUNTED). */
#ifndef GEO_COMPILER_LOWER_CPU_CONTROL_COUNT_H
#define GEO_COMPILER_LOWER_CPU_CONTROL_COUNT_H

#include "compiler/lower/state/function.h"

/* Begins a body: nothing is counted yet. A body that is left before its end counts nothing, so a
 * chunk that starts again counts once. */
void geo_control_count_begin(struct geo_lower_function *f);
/* Ends it: adds what was counted to the worker's counters. */
void geo_control_count_end(struct geo_lower_function *f);

/* Counts the work of a block for each active lane of f->body.mask. */
void geo_control_count(struct geo_lower_function *f, const struct geo_ir_block *block);

#endif
