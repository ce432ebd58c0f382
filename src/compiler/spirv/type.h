/* The SPIR-V reader: type instructions. */
#ifndef GEO_COMPILER_SPIRV_TYPE_H
#define GEO_COMPILER_SPIRV_TYPE_H

#include "compiler/spirv/state.h"

/* Reads a type instruction, and defines its id. Returns false after an error. */
bool spirv_read_type(struct spirv_reader *reader);
/* Checks at the end of the module that every forward pointer has got its pointee. */
bool spirv_types_finish(struct spirv_reader *reader);

#endif
