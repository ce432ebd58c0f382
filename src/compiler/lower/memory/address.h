/* The addresses of a chunk's lanes, by memory class. */
#ifndef GEO_COMPILER_LOWER_MEMORY_ADDRESS_H
#define GEO_COMPILER_LOWER_MEMORY_ADDRESS_H

#include "compiler/lower/emit/turn.h"

/* The addresses of all lanes. */
struct geo_address {
    enum geo_shape_kind kind;
    int64_t stride;    /* bytes between neighbouring lanes; only if STRIDED */
    LLVMValueRef base; /* ptr, or <W x ptr> if VARYING */
    /* constant distances between lanes; NULL: only `kind` is known */
    const struct geo_pattern *pattern;
};

/* Returns whether the base and the stride fit the memory class. */
bool geo_lane_address_is_valid(struct geo_lower_function *f, const struct geo_address *address);
/* Returns the addresses in a pointer value. */
struct geo_address geo_lane_address_of(struct geo_lower_function *f, struct geo_ir_value *pointer);
/* Finds the pattern that varying addresses have if the chunk is aligned. *aligned is their form
 * then, with the same base. Returns false if none is known. */
bool geo_lane_address_aligned(struct geo_lower_function *f, const struct geo_ir_value *pointer,
                              const struct geo_address *address, struct geo_address *aligned);
/* Adds a constant number of bytes. */
struct geo_address geo_lane_address_add(struct geo_lower_function *f, struct geo_address address,
                                        int64_t bytes);
/* Returns address + index * size. The index is signed. */
struct geo_address geo_lane_address_index(struct geo_lower_function *f, struct geo_address address,
                                          struct geo_ir_value *index, int64_t size);
/* Return the addresses as <W x ptr>, in one lane, or in the lane of a turn. */
LLVMValueRef geo_lane_address_vector(struct geo_lower_function *f, struct geo_address address);
LLVMValueRef geo_lane_address_lane(struct geo_lower_function *f, struct geo_address address,
                                   uint32_t lane);
LLVMValueRef geo_lane_address_turn(struct geo_lower_function *f, struct geo_address address,
                                   const struct geo_turn *turn);
/* Returns the addresses of active lanes unchanged. Each inactive lane gets its own dummy memory,
 * which may be read and written. It is used for unrolled turns. */
/* alignment of dummy memory, and distance between lanes; fits any scalar */
#define GEO_SPREAD_ALIGN 8u
#define GEO_SPREAD_BYTES 64u /* accessible bytes at each lane's dummy memory; lanes overlap */
struct geo_address geo_lane_address_spread(struct geo_lower_function *f,
                                           struct geo_address address);
/* Returns the addresses of active lanes unchanged. Inactive lanes get GEO_SPREAD_BYTES of zeros,
 * which must not be written. Other values could be denormal numbers, with which arithmetic is
 * slow. */
struct geo_address geo_lane_address_zeros(struct geo_lower_function *f, struct geo_address address);

/* Returns the alignment `offset` bytes behind an address that is aligned to `align`. */
uint32_t geo_lane_address_align(uint32_t align, uint64_t offset);

#endif
