/* The SPIR-V reader: the capabilities that a module declares. */
#ifndef GEO_COMPILER_SPIRV_CAPABILITY_H
#define GEO_COMPILER_SPIRV_CAPABILITY_H

#include "compiler/spirv/state.h"

/* Reads OpCapability. Returns false after an error: a capability that is not supported. */
bool spirv_read_capability(struct spirv_reader *reader);

#endif
