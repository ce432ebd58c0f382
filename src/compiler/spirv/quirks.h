/* The SPIR-V reader: repairs code of producers that violates the specification. */
#ifndef GEO_COMPILER_SPIRV_QUIRKS_H
#define GEO_COMPILER_SPIRV_QUIRKS_H

#include "compiler/spirv/state.h"

/* Repairs an instruction before it goes into its block. */
bool spirv_make_right(struct spirv_reader *reader, struct geo_ir_inst *inst);

/* Returns whether the current phi has already named this block with the same value. `block` is an
 * id within bounds. */
bool spirv_phi_repeats(struct spirv_reader *reader, uint32_t block, uint32_t value);

#endif
