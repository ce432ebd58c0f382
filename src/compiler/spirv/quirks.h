/* The SPIR-V reader: repairs of what producers write against the specification. */
#ifndef GEO_COMPILER_SPIRV_QUIRKS_H
#define GEO_COMPILER_SPIRV_QUIRKS_H

#include "compiler/spirv/state.h"

/* Repairs an instruction before it goes into its block. */
bool spirv_make_right(struct spirv_reader *reader, struct geo_ir_inst *inst);

/* Whether the phi that is being read has named a block (an id within bounds) for the same value
 * before. */
bool spirv_phi_repeats(struct spirv_reader *reader, uint32_t block, uint32_t value);

#endif
