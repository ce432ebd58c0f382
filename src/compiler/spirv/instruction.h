/* The SPIR-V reader: instructions inside of a block. */
#ifndef GEO_COMPILER_SPIRV_INSTRUCTION_H
#define GEO_COMPILER_SPIRV_INSTRUCTION_H

#include "compiler/spirv/state.h"

/* Reads the current instruction and appends it to the open block. Returns false after an error. */
bool spirv_read_instruction(struct spirv_reader *reader);

#endif
