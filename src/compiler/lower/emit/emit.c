/* Implements casts, intrinsics, comparisons and blocks as one or two builder calls each. They work
 * alike on scalars and vectors of lanes; see emit.h. */
#include "compiler/lower/emit/emit.h"

#include "base/assert.h"

#include <string.h>

LLVMValueRef geo_emit_zext(struct geo_lower_function *f, LLVMValueRef value, uint32_t bits)
{
    GEO_ASSERT(geo_type_is_integer(value));
    uint32_t from = geo_type_bits(value);
    LLVMTypeRef type = geo_type_like(value, geo_type_int(f, bits));
    return from == bits  ? value
           : from < bits ? LLVMBuildZExt(f->llvm.builder, value, type, "")
                         : LLVMBuildTrunc(f->llvm.builder, value, type, "");
}

LLVMValueRef geo_emit_sext(struct geo_lower_function *f, LLVMValueRef value, uint32_t bits)
{
    GEO_ASSERT(geo_type_is_integer(value));
    uint32_t from = geo_type_bits(value);
    LLVMTypeRef type = geo_type_like(value, geo_type_int(f, bits));
    return from == bits  ? value
           : from < bits ? LLVMBuildSExt(f->llvm.builder, value, type, "")
                         : LLVMBuildTrunc(f->llvm.builder, value, type, "");
}

LLVMValueRef geo_emit_to_bits(struct geo_lower_function *f, LLVMValueRef value)
{
    if (LLVMGetTypeKind(geo_type_element(value)) == LLVMIntegerTypeKind) {
        return value;
    }
    GEO_ASSERT(LLVMGetTypeKind(geo_type_element(value)) != LLVMPointerTypeKind);
    LLVMTypeRef type = geo_type_like(value, geo_type_int(f, geo_type_bits(value)));
    return LLVMBuildBitCast(f->llvm.builder, value, type, "");
}

LLVMValueRef geo_emit_from_bits(struct geo_lower_function *f, LLVMValueRef value)
{
    if (LLVMGetTypeKind(geo_type_element(value)) != LLVMIntegerTypeKind) {
        return value;
    }
    LLVMTypeRef type = geo_type_like(value, geo_type_float(f, geo_type_bits(value)));
    return LLVMBuildBitCast(f->llvm.builder, value, type, "");
}

LLVMValueRef geo_emit_intrinsic_of(struct geo_lower_function *f, const char *name,
                                   LLVMTypeRef *types, uint32_t type_count, LLVMValueRef *args,
                                   uint32_t count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    GEO_ASSERT(id);
    LLVMValueRef callee = LLVMGetIntrinsicDeclaration(f->llvm.module, id, types, type_count);
    return LLVMBuildCall2(f->llvm.builder, LLVMGlobalGetValueType(callee), callee, args, count, "");
}

LLVMValueRef geo_emit_intrinsic(struct geo_lower_function *f, const char *name, LLVMValueRef *args,
                                uint32_t count)
{
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    return geo_emit_intrinsic_of(f, name, &type, 1, args, count);
}

LLVMValueRef geo_emit_abs(struct geo_lower_function *f, LLVMValueRef value)
{
    if (LLVMGetTypeKind(geo_type_element(value)) == LLVMIntegerTypeKind) {
        LLVMValueRef args[2] = {value,
                                LLVMConstInt(LLVMInt1TypeInContext(f->llvm.context), 0, false)};
        return geo_emit_intrinsic(f, "llvm.abs", args, 2);
    }
    return geo_emit_intrinsic(f, "llvm.fabs", &value, 1);
}

LLVMValueRef geo_emit_minmax(struct geo_lower_function *f, const char *name, LLVMValueRef a,
                             LLVMValueRef b)
{
    GEO_ASSERT(LLVMTypeOf(a) == LLVMTypeOf(b) && geo_type_is_integer(a));
    LLVMValueRef args[2] = {a, b};
    return geo_emit_intrinsic(f, name, args, 2);
}

LLVMValueRef geo_emit_select(struct geo_lower_function *f, LLVMValueRef condition, LLVMValueRef on,
                             LLVMValueRef off)
{
    GEO_ASSERT(LLVMTypeOf(on) == LLVMTypeOf(off) && geo_type_bits(condition) == 1);
    GEO_ASSERT(geo_type_lanes(condition) == 1 || geo_type_lanes(condition) == geo_type_lanes(on));
    return LLVMBuildSelect(f->llvm.builder, condition, on, off, "");
}

LLVMValueRef geo_emit_icmp(struct geo_lower_function *f, LLVMIntPredicate predicate, LLVMValueRef a,
                           LLVMValueRef b)
{
    GEO_ASSERT(LLVMTypeOf(a) == LLVMTypeOf(b));
    return LLVMBuildICmp(f->llvm.builder, predicate, a, b, "");
}

LLVMValueRef geo_emit_fcmp(struct geo_lower_function *f, LLVMRealPredicate predicate,
                           LLVMValueRef a, LLVMValueRef b)
{
    GEO_ASSERT(LLVMTypeOf(a) == LLVMTypeOf(b) && !geo_type_is_integer(a));
    return LLVMBuildFCmp(f->llvm.builder, predicate, a, b, "");
}

LLVMBasicBlockRef geo_emit_block_last(struct geo_lower_function *f, const char *name)
{
    return LLVMAppendBasicBlockInContext(f->llvm.context, f->llvm.function, name);
}

LLVMBasicBlockRef geo_emit_block_next(struct geo_lower_function *f, const char *name)
{
    LLVMBasicBlockRef current = LLVMGetInsertBlock(f->llvm.builder);
    GEO_ASSERT(current); /* the builder is in a function */
    LLVMBasicBlockRef next = LLVMGetNextBasicBlock(current);
    return next ? LLVMInsertBasicBlockInContext(f->llvm.context, next, name)
                : LLVMAppendBasicBlockInContext(f->llvm.context, LLVMGetBasicBlockParent(current),
                                                name);
}
