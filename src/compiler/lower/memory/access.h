/* Emits accesses of one part in all lanes, by memory class:
 *
 *     uniform       one scalar access
 *     consecutive   one vector access
 *     strided       wide accesses and shuffles for small strides, otherwise a gather
 *     varying       gather, scatter, or lane by lane where the core's gathers are slower, and in
 *                   interleaved private memory
 *
 * A block with accesses is entered only if a lane is active, so uniform accesses need no mask. All
 * others are masked. */
#ifndef GEO_COMPILER_LOWER_MEMORY_ACCESS_H
#define GEO_COMPILER_LOWER_MEMORY_ACCESS_H

#include "compiler/lower/memory/address.h"
#include "compiler/lower/state/parts.h"

/* One load or store of a value in all lanes. */
struct geo_access {
    struct geo_lower_function *f;
    const struct geo_ir_inst *inst; /* for messages */
    struct geo_address address;
    uint32_t align;   /* alignment of the address in bytes */
    uint32_t flags;   /* SpvMemoryAccess* bits */
    bool packed;      /* vectors of 3 components have no padding (vload3) */
    bool interleaved; /* private memory that is interleaved by lanes (analysis/interleave.h) */
    bool zeros;       /* lanes that are off load zeros, and all of them may be off */
};

/* Load or store one part. A loaded part is a scalar if the address is uniform. */
LLVMValueRef geo_access_part_load(const struct geo_access *access,
                                  const struct geo_part_place *place);
void geo_access_part_store(const struct geo_access *access, const struct geo_part_place *place,
                           LLVMValueRef value);
/* Load or store one scalar, or one vector of consecutive elements (access_row.c). `mask` NULL means
 * all elements. */
LLVMValueRef geo_access_row_load(const struct geo_access *access, LLVMTypeRef type,
                                 LLVMValueRef pointer, LLVMValueRef mask, uint32_t align);
void geo_access_row_store(const struct geo_access *access, LLVMValueRef value, LLVMValueRef pointer,
                          LLVMValueRef mask, uint32_t align);

#endif
