/* The SPIR-V reader: instructions that a producer writes as a draft of their extension had them. */
#ifndef GEO_COMPILER_SPIRV_DRAFT_H
#define GEO_COMPILER_SPIRV_DRAFT_H

#include "compiler/spirv/state.h"

/* Replaces the current opcode by the published one when it has a draft's number. Returns the
 * operands' pattern (ir/grammar.h) when the draft's differ from the published ones, else NULL. */
const char *spirv_draft_resolve(struct spirv_reader *reader);

#endif
