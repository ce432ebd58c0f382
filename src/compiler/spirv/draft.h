/* The SPIR-V reader: instructions that a producer encodes as in a draft of their extension. */
#ifndef GEO_COMPILER_SPIRV_DRAFT_H
#define GEO_COMPILER_SPIRV_DRAFT_H

#include "compiler/spirv/state.h"

/* Replaces the current opcode by the published one if it has a draft's number. Returns the draft's
 * operand pattern (ir/grammar.h) if it differs from the published one, else NULL. */
const char *spirv_draft_resolve(struct spirv_reader *reader);

#endif
