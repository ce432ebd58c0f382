/* The SPIR-V reader: functions with all that stands in them. */
#ifndef GEO_COMPILER_SPIRV_FUNCTION_H
#define GEO_COMPILER_SPIRV_FUNCTION_H

#include "compiler/spirv/state.h"

/* OpFunction, or the current instruction inside of one. */
bool spirv_read_function(struct spirv_reader *reader);

#endif
