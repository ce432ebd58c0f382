/* The addresses of a chunk's lanes, by memory class, for whatever reads or writes memory. */
#ifndef GEO_COMPILER_LOWER_MEMORY_ADDRESS_H
#define GEO_COMPILER_LOWER_MEMORY_ADDRESS_H

#include "compiler/lower/emit/turn.h"

struct geo_address {
    enum geo_shape_kind kind;
    int64_t stride;                    /* bytes from lane to lane; STRIDED only */
    LLVMValueRef base;                 /* ptr (VARYING: <W x ptr>) */
    const struct geo_pattern *pattern; /* how far the lanes are apart; NULL: `kind` says all */
};

/* The address that a pointer value holds; moved by a constant. */
struct geo_address geo_address_of(struct geo_lower_function *f, struct geo_ir_value *pointer);
struct geo_address geo_address_add(struct geo_lower_function *f, struct geo_address address,
                                   int64_t bytes);
/* address + index * size; the index is signed. */
struct geo_address geo_address_index(struct geo_lower_function *f, struct geo_address address,
                                     struct geo_ir_value *index, int64_t size);
/* As <W x ptr>; in one lane; in the lane whose turn it is. */
LLVMValueRef geo_address_vector(struct geo_lower_function *f, struct geo_address address);
LLVMValueRef geo_address_lane(struct geo_lower_function *f, struct geo_address address,
                              uint32_t lane);
LLVMValueRef geo_address_turn(struct geo_lower_function *f, struct geo_address address,
                              const struct geo_turn *turn);
/* The lanes that are on where they are, those that are off each at a place of no use that can be
 * read and written: for turns that are written out. */
#define GEO_SPREAD_ALIGN 8u  /* of these places, and how far they are apart: any scalar fits */
#define GEO_SPREAD_BYTES 64u /* what may be touched of each, and of those behind it */
struct geo_address geo_address_spread(struct geo_lower_function *f, struct geo_address address);

/* The alignment of a place `offset` bytes behind one aligned to `align`. */
uint32_t geo_address_align(uint32_t align, uint64_t offset);

#endif
