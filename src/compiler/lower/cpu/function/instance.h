/* Emits the bodies of instances, which are functions that were not inlined, at one width. */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_INSTANCE_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_INSTANCE_H

#include "compiler/lower/cpu/instance/instance.h"

bool geo_function_instance_emit(struct geo_lower *lower, struct geo_lower_instance *instance);

#endif
