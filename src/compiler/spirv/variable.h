/* The SPIR-V reader: variables at module scope. */
#ifndef GEO_COMPILER_SPIRV_VARIABLE_H
#define GEO_COMPILER_SPIRV_VARIABLE_H

#include "compiler/spirv/state.h"

/* Reads an OpVariable outside of functions, and defines its id. Returns false after an error. */
bool spirv_read_variable(struct spirv_reader *reader);

#endif
