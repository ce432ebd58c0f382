/* The SPIR-V reader: instructions inside of a block. */
#ifndef GEO_COMPILER_SPIRV_INSTRUCTION_H
#define GEO_COMPILER_SPIRV_INSTRUCTION_H

#include "compiler/spirv/state.h"

bool spirv_read_instruction(struct spirv_reader *reader);

#endif
