/* The SPIR-V reader: constants, specialisation constants and constant expressions. */
#ifndef GEO_COMPILER_SPIRV_CONSTANT_H
#define GEO_COMPILER_SPIRV_CONSTANT_H

#include "compiler/spirv/state.h"

/* Reads an instruction that makes a constant. Returns false after an error. */
bool spirv_read_constant(struct spirv_reader *reader);

#endif
