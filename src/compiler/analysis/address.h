/* Relation between an instruction's operands and the address that it computes or accesses. For the
 * shape analysis and for transforms. */
#ifndef GEO_COMPILER_ANALYSIS_ADDRESS_H
#define GEO_COMPILER_ANALYSIS_ADDRESS_H

#include "compiler/analysis/cfg.h"

/* Returns whether the instruction is a load or a store. */
bool geo_address_is_access(const struct geo_ir_inst *inst);

/* The address of an access: pointer + offset * scale. */
struct geo_address_access {
    struct geo_ir_value *pointer;
    struct geo_ir_value *offset; /* NULL: none */
    uint64_t scale;              /* in bytes */
};

/* Sets `out` to the address that a load, a store, or a vector load or store of OpenCL accesses.
 * Returns false for other instructions. */
bool geo_address_access_of(const struct geo_ir_inst *inst, struct geo_address_access *out);

/* Returns how many operands, counted from the first, may contribute to the address: of the access,
 * or of the result if that is (part of) an address. */
uint32_t geo_address_operands(const struct geo_ir_inst *inst);

/* Returns by how much the address moves when operand `i` grows by one; 0 if unknown, or if the
 * operand is not part of the address. */
uint64_t geo_address_scale(const struct geo_ir_inst *inst, uint32_t i);

/* Returns an array by value index: whether an access in the value's own block uses an address that
 * the value contributes to. NULL when the arena is exhausted. */
bool *geo_addresses_find(const struct geo_cfg *cfg, struct geo_arena *arena);

#endif
