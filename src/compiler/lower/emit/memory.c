/* Implements byte offsets, allocas and masked accesses; see memory.h. memory/ emits the accesses of
 * the model. */
#include "compiler/lower/emit/memory.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mark.h"

LLVMValueRef geo_emit_offset(struct geo_lower_function *f, LLVMValueRef pointer,
                             LLVMValueRef offset)
{
    GEO_ASSERT(LLVMGetTypeKind(geo_type_element(pointer)) == LLVMPointerTypeKind);
    GEO_ASSERT(geo_type_is_integer(offset));
    if (LLVMIsNull(offset) && geo_type_lanes(offset) == 1) {
        return pointer;
    }
    return LLVMBuildGEP2(f->llvm.builder, LLVMInt8TypeInContext(f->llvm.context), pointer, &offset,
                         1, "");
}

LLVMValueRef geo_emit_offset_const(struct geo_lower_function *f, LLVMValueRef pointer,
                                   int64_t offset)
{
    return geo_emit_offset(
        f, pointer, LLVMConstInt(LLVMInt64TypeInContext(f->llvm.context), (uint64_t)offset, true));
}

LLVMValueRef geo_emit_pointer_cast(struct geo_lower_function *f, LLVMValueRef pointer,
                                   LLVMTypeRef type)
{
    LLVMTypeRef wide = geo_type_like(pointer, type);
    GEO_ASSERT(LLVMGetTypeKind(type) == LLVMPointerTypeKind);
    return LLVMTypeOf(pointer) == wide ? pointer
                                       : LLVMBuildAddrSpaceCast(f->llvm.builder, pointer, wide, "");
}

LLVMValueRef geo_emit_alloca(struct geo_lower_function *f, LLVMTypeRef type, const char *name)
{
    GEO_ASSERT(f->llvm.allocas && LLVMGetInsertBlock(f->llvm.allocas)); /* inside a function */
    return LLVMBuildAlloca(f->llvm.allocas, type, name);
}

LLVMValueRef geo_emit_masked(struct geo_lower_function *f, const char *name, LLVMTypeRef data,
                             LLVMValueRef *args, uint32_t count, uint32_t pointer, uint32_t align)
{
    GEO_ASSERT(pointer >= 1 && pointer <= count && align && (align & (align - 1)) == 0);
    LLVMTypeRef types[2] = {data, LLVMTypeOf(args[pointer - 1])};
    LLVMValueRef call = geo_emit_intrinsic_of(f, name, types, 2, args, count);
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddCallSiteAttribute(call, pointer, LLVMCreateEnumAttribute(f->llvm.context, kind, align));
    return call;
}

/* Freezes the result, which is the workaround for MOVED_MASKED_LOAD (llvm_faults.def). */
LLVMValueRef geo_emit_masked_load(struct geo_lower_function *f, LLVMTypeRef type,
                                  LLVMValueRef pointer, LLVMValueRef mask, uint32_t align)
{
    GEO_ASSERT(geo_type_lanes(pointer) == 1 && geo_type_bits(mask) == 1 &&
               geo_type_lanes(mask) == LLVMGetVectorSize(type));
    LLVMValueRef args[3] = {pointer, mask, LLVMConstNull(type)};
    LLVMValueRef load = geo_emit_masked(f, "llvm.masked.load", type, args, 3, 1, align);
    return f->options->target.llvm_faults & GEO_LLVM_MOVED_MASKED_LOAD
               ? LLVMBuildFreeze(f->llvm.builder, load, "")
               : load;
}

void geo_emit_masked_store(struct geo_lower_function *f, LLVMValueRef value, LLVMValueRef pointer,
                           LLVMValueRef mask, uint32_t align)
{
    GEO_ASSERT(geo_type_lanes(pointer) == 1 && geo_type_bits(mask) == 1 &&
               geo_type_lanes(mask) == geo_type_lanes(value));
    LLVMValueRef args[3] = {value, pointer, mask};
    geo_emit_masked(f, "llvm.masked.store", LLVMTypeOf(value), args, 3, 2, align);
}

LLVMValueRef geo_emit_load_invariant(struct geo_lower_function *f, LLVMTypeRef type,
                                     LLVMValueRef address, uint32_t align)
{
    LLVMValueRef value = LLVMBuildLoad2(f->llvm.builder, type, address, "");
    geo_emit_mark_invariant(f, value);
    LLVMSetAlignment(value, align);
    return value;
}
