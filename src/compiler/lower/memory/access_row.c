/* Loads and stores of one scalar or of consecutive elements, with and without a mask; see
 * access.h. */
#include "compiler/lower/memory/access.h"

#include "base/assert.h"
#include "compiler/ir/access.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mark.h"
#include "compiler/lower/emit/memory.h"

/* Marks a store as non-temporal if it is a whole vector; x86 has no other useful form. */
static void store_mark(const struct geo_access *access, LLVMValueRef store, LLVMValueRef value)
{
    struct geo_lower_function *f = access->f;
    uint32_t bits = geo_type_bits(value), total = bits * geo_type_lanes(value);
    if (!(access->flags & SpvMemoryAccessNontemporalMask) || geo_type_lanes(value) == 1 ||
        bits < 32 || total < 128 || (total & (total - 1))) {
        return;
    }
    LLVMMetadataRef one =
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(f->llvm.context), 1, false));
    LLVMMetadataRef node = LLVMMDNodeInContext2(f->llvm.context, &one, 1);
    LLVMSetMetadata(store, LLVMGetMDKindIDInContext(f->llvm.context, "nontemporal", 11),
                    LLVMMetadataAsValue(f->llvm.context, node));
}

static LLVMValueRef plain_load(const struct geo_access *access, LLVMTypeRef type,
                               LLVMValueRef pointer, uint32_t align)
{
    GEO_ASSERT(align && (align & (align - 1)) == 0);
    LLVMValueRef load = LLVMBuildLoad2(access->f->llvm.builder, type, pointer, "");
    LLVMSetAlignment(load, align);
    LLVMSetVolatile(load, (access->flags & SpvMemoryAccessVolatileMask) != 0);
    if (access->flags & GEO_ACCESS_INVARIANT) {
        geo_emit_mark_invariant(access->f, load);
    }
    return load;
}

static void plain_store(const struct geo_access *access, LLVMValueRef value, LLVMValueRef pointer,
                        uint32_t align)
{
    GEO_ASSERT(align && (align & (align - 1)) == 0);
    LLVMValueRef store = LLVMBuildStore(access->f->llvm.builder, value, pointer);
    LLVMSetAlignment(store, align);
    LLVMSetVolatile(store, (access->flags & SpvMemoryAccessVolatileMask) != 0);
    store_mark(access, store, value);
}

LLVMValueRef geo_access_row_load(const struct geo_access *access, LLVMTypeRef type,
                                 LLVMValueRef pointer, LLVMValueRef mask, uint32_t align)
{
    if (!mask) {
        return plain_load(access, type, pointer, align);
    }
    return geo_emit_masked_load(access->f, type, pointer, mask, align);
}

void geo_access_row_store(const struct geo_access *access, LLVMValueRef value, LLVMValueRef pointer,
                          LLVMValueRef mask, uint32_t align)
{
    if (!mask) {
        plain_store(access, value, pointer, align);
        return;
    }
    geo_emit_masked_store(access->f, value, pointer, mask, align);
}
