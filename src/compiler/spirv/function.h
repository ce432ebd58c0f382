/* The SPIR-V reader: functions and everything inside them. */
#ifndef GEO_COMPILER_SPIRV_FUNCTION_H
#define GEO_COMPILER_SPIRV_FUNCTION_H

#include "compiler/spirv/state.h"

/* Reads OpFunction, or the current instruction if a function is open. */
bool spirv_read_function(struct spirv_reader *reader);

#endif
