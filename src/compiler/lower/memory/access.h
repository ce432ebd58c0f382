/* Accesses of one part in all lanes, by memory class:
 *
 *     uniform      one scalar access
 *     consecutive  one vector access
 *     strided      wide accesses and shuffles for short vectors of consecutive lanes, else gather
 *     varying      gather, scatter, or lane by lane where the core's gathers are slower
 *
 * The block is entered with some lane on, so uniform accesses need no mask; all others carry it. */
#ifndef GEO_COMPILER_LOWER_MEMORY_ACCESS_H
#define GEO_COMPILER_LOWER_MEMORY_ACCESS_H

#include "compiler/lower/memory/address.h"
#include "compiler/lower/state/parts.h"

struct geo_access {
    struct geo_lower_function *f;
    const struct geo_ir_inst *inst; /* for messages */
    struct geo_address address;
    uint32_t align;   /* bytes, of the address */
    uint32_t flags;   /* SpvMemoryAccess* */
    bool packed;      /* a vec3 has no padding (vload3) */
    bool interleaved; /* private memory whose elements lie lane by lane (analysis/interleave.h) */
};

/* One part, a scalar when the address is uniform. */
LLVMValueRef geo_access_part_load(const struct geo_access *access,
                                  const struct geo_part_place *place);
void geo_access_part_store(const struct geo_access *access, const struct geo_part_place *place,
                           LLVMValueRef value);
/* One vector of consecutive elements; a mask of NULL means all of them. */
LLVMValueRef geo_access_row_load(const struct geo_access *access, LLVMTypeRef type,
                                 LLVMValueRef pointer, LLVMValueRef mask, uint32_t align);
void geo_access_row_store(const struct geo_access *access, LLVMValueRef value, LLVMValueRef pointer,
                          LLVMValueRef mask, uint32_t align);

#endif
