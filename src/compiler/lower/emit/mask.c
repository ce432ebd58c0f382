/* Implements masks, which say which lanes of the chunk are active.
 *
 * A mask is <W x i1>. NULL means that all lanes are active, as in full chunks outside divergent
 * control flow. Masks are combined with select instead of and/or. A condition may be poison in an
 * inactive lane, and only select stops poison. */
#include "compiler/lower/emit/mask.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/number.h"

bool geo_emit_is_mask(struct geo_lower_function *f, LLVMValueRef value)
{
    return LLVMTypeOf(value) == geo_type_mask(f);
}

LLVMValueRef geo_emit_mask_active(struct geo_lower_function *f)
{
    GEO_ASSERT(!f->body.mask || (f->lanes > 1 && geo_emit_is_mask(f, f->body.mask)));
    return f->body.mask ? f->body.mask : LLVMConstAllOnes(geo_type_mask(f));
}

LLVMValueRef geo_emit_mask_bits(struct geo_lower_function *f, LLVMValueRef mask)
{
    GEO_ASSERT(geo_emit_is_mask(f, mask));
    return LLVMBuildBitCast(f->llvm.builder, mask, LLVMIntTypeInContext(f->llvm.context, f->lanes),
                            "bits");
}

LLVMValueRef geo_emit_mask_any(struct geo_lower_function *f, LLVMValueRef mask)
{
    LLVMValueRef bits = geo_emit_mask_bits(f, mask);
    return LLVMBuildICmp(f->llvm.builder, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "any");
}

LLVMValueRef geo_emit_mask_active_any(struct geo_lower_function *f)
{
    return f->body.mask ? geo_emit_mask_any(f, f->body.mask) : LLVMConstInt(geo_type_i1(f), 1, 0);
}

LLVMValueRef geo_emit_mask_active_select(struct geo_lower_function *f, LLVMValueRef on,
                                         LLVMValueRef off)
{
    GEO_ASSERT(!f->body.mask ||
               (geo_type_lanes(on) == f->lanes && LLVMTypeOf(on) == LLVMTypeOf(off)));
    return f->body.mask ? LLVMBuildSelect(f->llvm.builder, f->body.mask, on, off, "") : on;
}

LLVMValueRef geo_emit_mask_and(struct geo_lower_function *f, LLVMValueRef mask,
                               LLVMValueRef condition)
{
    GEO_ASSERT((!mask || geo_emit_is_mask(f, mask)) && geo_emit_is_mask(f, condition));
    if (!mask) {
        return condition;
    }
    return LLVMBuildSelect(f->llvm.builder, mask, condition, LLVMConstNull(geo_type_mask(f)),
                           "mask");
}

LLVMValueRef geo_emit_mask_or(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b)
{
    GEO_ASSERT(geo_emit_is_mask(f, a) && geo_emit_is_mask(f, b));
    return LLVMBuildSelect(f->llvm.builder, a, LLVMConstAllOnes(geo_type_mask(f)), b, "mask");
}

LLVMValueRef geo_emit_mask_lowest_bit(struct geo_lower_function *f, LLVMValueRef bits)
{
    unsigned id = LLVMLookupIntrinsicID("llvm.cttz", 9);
    LLVMTypeRef type = LLVMTypeOf(bits);
    GEO_ASSERT(LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64);
    /* The highest bit is always set, so the index is in range even for 0. LLVM may hoist the count
     * above the test for a set bit, and a poison index would read outside the vector. */
    LLVMValueRef last = LLVMConstInt(type, 1ull << (LLVMGetIntTypeWidth(type) - 1), 0);
    bits = LLVMBuildOr(f->llvm.builder, bits, last, "");
    LLVMValueRef callee = LLVMGetIntrinsicDeclaration(f->llvm.module, id, &type, 1);
    LLVMValueRef arguments[] = {bits, LLVMConstInt(geo_type_i1(f), 1, 0)};
    return LLVMBuildCall2(f->llvm.builder, LLVMGlobalGetValueType(callee), callee, arguments, 2,
                          "lane");
}

LLVMValueRef geo_emit_mask_below(struct geo_lower_function *f, LLVMValueRef count)
{
    GEO_ASSERT(f->lanes > 1 && LLVMTypeOf(count) == geo_type_i64(f));
    LLVMValueRef lanes[GEO_LOWER_LANES_LIMIT];
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        lanes[lane] = geo_emit_const_i32(f, lane);
    }
    /* Compares in 32 bits, which halves the vector of counters. Counts above W are clamped to W. */
    LLVMValueRef limit = geo_emit_const_i64(f, f->lanes);
    LLVMValueRef more = LLVMBuildICmp(f->llvm.builder, LLVMIntUGT, count, limit, "");
    LLVMValueRef clamped = LLVMBuildSelect(f->llvm.builder, more, limit, count, "");
    LLVMValueRef narrow = LLVMBuildTrunc(f->llvm.builder, clamped, geo_type_i32(f), "");
    return LLVMBuildICmp(f->llvm.builder, LLVMIntULT, LLVMConstVector(lanes, f->lanes),
                         geo_lanes_splat(f, narrow), "active");
}
