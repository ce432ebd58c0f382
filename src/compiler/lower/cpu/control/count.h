/* Emits the counters of kernels that count what they do (GEO_KERNEL_COUNTED). */
#ifndef GEO_COMPILER_LOWER_CPU_CONTROL_COUNT_H
#define GEO_COMPILER_LOWER_CPU_CONTROL_COUNT_H

#include "compiler/lower/state/function.h"

/* Adds the work of a block, for each active lane of f->body.mask, to the worker's counters. */
void geo_control_count(struct geo_lower_function *f, const struct geo_ir_block *block);

#endif
