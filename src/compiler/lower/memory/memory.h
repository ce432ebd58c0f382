/* Addresses and accesses by memory class, used by whatever reads or writes memory for a chunk.
 * Addresses are in memory_address.c, scalars in memory_access.c, vectors and structures in
 * memory.c.
 *
 *     uniform      one scalar access
 *     consecutive  one vector access
 *     strided      wide accesses and shuffles for short vectors of consecutive lanes, else gather
 *     varying      gather, scatter, or lane by lane where the core's gathers are slower
 *
 * The block is entered with some lane on, so uniform accesses need no mask; all others carry it. */
#ifndef GEO_COMPILER_LOWER_MEMORY_H
#define GEO_COMPILER_LOWER_MEMORY_H

#include "compiler/lower/emit/emit.h"

struct geo_address {
    enum geo_shape_kind kind;
    int64_t stride;    /* bytes from lane to lane; STRIDED only */
    LLVMValueRef base; /* ptr (VARYING: <W x ptr>) */
};

struct geo_access {
    struct geo_lower_function *f;
    const struct geo_ir_inst *inst; /* for messages */
    struct geo_address address;
    uint32_t align; /* bytes, of the address */
    uint32_t flags; /* SpvMemoryAccess* */
    bool packed;    /* a vec3 has no padding (vload3) */
};

/* The address that a pointer value holds; moved by a constant; as <W x ptr>. */
struct geo_address geo_address_of(struct geo_lower_function *f, struct geo_ir_value *pointer);
struct geo_address geo_address_add(struct geo_lower_function *f, struct geo_address address,
                                   int64_t bytes);
/* address + index * size; the index is signed. */
struct geo_address geo_address_index(struct geo_lower_function *f, struct geo_address address,
                                     struct geo_ir_value *index, int64_t size);
LLVMValueRef geo_address_vector(struct geo_lower_function *f, struct geo_address address);
/* In a lane given as i32 (inside geo_lower_for_each_lane). */
LLVMValueRef geo_address_lane(struct geo_lower_function *f, struct geo_address address,
                              LLVMValueRef lane);

/* The alignment of a place `offset` bytes behind one aligned to `align`. */
uint32_t geo_address_align(uint32_t align, uint64_t offset);

/* Loads `count` parts of `type` (all of them) into values[]: scalars when the address is uniform,
 * else vectors. Stores the same; scalars and vectors are both welcome. False after
 * geo_lower_error. */
bool geo_access_load(const struct geo_access *access, const struct geo_ir_type *type,
                     LLVMValueRef *values, uint32_t count);
bool geo_access_store(const struct geo_access *access, const struct geo_ir_type *type,
                      LLVMValueRef *values, uint32_t count);

/* A scalar leaf of a type in memory. */
struct geo_leaf {
    const struct geo_ir_type *type;
    uint64_t offset;
};
/* All leaves in part order, in the function's arena; NULL after a failure. */
const struct geo_leaf *geo_leaves(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                  const struct geo_ir_type *type, uint32_t *count);

/* One leaf, a scalar when the address is uniform. */
LLVMValueRef geo_access_leaf_load(const struct geo_access *access, const struct geo_leaf *leaf);
void geo_access_leaf_store(const struct geo_access *access, const struct geo_leaf *leaf,
                           LLVMValueRef value);
/* One vector of consecutive elements; a mask of NULL means all of them. */
LLVMValueRef geo_access_row_load(const struct geo_access *access, LLVMTypeRef type,
                                 LLVMValueRef pointer, LLVMValueRef mask, uint32_t align);
void geo_access_row_store(const struct geo_access *access, LLVMValueRef value, LLVMValueRef pointer,
                          LLVMValueRef mask, uint32_t align);

#endif
