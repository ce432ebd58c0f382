/* What of an instruction's operands its result, or the access that it makes, takes as an address.
 * For the shape analysis and for transforms. */
#ifndef GEO_COMPILER_ANALYSIS_ADDRESS_H
#define GEO_COMPILER_ANALYSIS_ADDRESS_H

#include "compiler/analysis/cfg.h"

/* A load or a store. */
bool geo_address_is_access(const struct geo_ir_inst *inst);

/* Operands [0, result) add to the address: that of a load or store, or that a part of the
 * computation leads to when the result is (part of) an address. */
uint32_t geo_address_operands(const struct geo_ir_inst *inst);

/* By how much the address moves when operand `i` moves by one; 0: not known, or it is no part of
 * the address. */
uint64_t geo_address_scale(const struct geo_ir_inst *inst, uint32_t i);

/* By value index: some access in the value's own block goes to an address that the value adds to.
 * NULL when the arena ran out. */
bool *geo_addresses_find(const struct geo_cfg *cfg, struct geo_arena *arena);

#endif
