/* What of an instruction's operands its result, or the access that it makes, takes as an address.
 * For the shape analysis and for transforms. */
#ifndef GEO_COMPILER_ANALYSIS_ADDRESS_H
#define GEO_COMPILER_ANALYSIS_ADDRESS_H

#include "compiler/analysis/cfg.h"

/* Operands [0, result) add to the address: that of a load or store, or that a part of the
 * computation leads to when the result is (part of) an address. */
uint32_t geo_address_operands(const struct geo_ir_inst *inst);

/* By value index: some access in the value's own block goes to an address in bounds that the value
 * adds to. NULL when the arena ran out. */
bool *geo_addresses_find(const struct geo_cfg *cfg, struct geo_arena *arena);

#endif
