/* The variant of a group that enters the body through a switch (variants.c). */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_SWITCHED_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_SWITCHED_H

#include "compiler/lower/cpu/function/groups.h"

/* Runs the current group. A device barrier ends this call of the kernel. */
void geo_function_switched_run(struct geo_lower_groups *k);

#endif
