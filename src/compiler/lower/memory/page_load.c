/* Loads rows under a mask on processors that lack an instruction for it, such as AVX2 for bytes.
 * LLVM would load lane by lane, with a branch for each lane.
 *
 * A row that lies in one page is loaded whole. The page is readable, because a lane is active.
 * Other rows are loaded lane by lane.
 *
 *     row in one page?  yes -> plain load
 *                       no  -> masked load
 *
 * A whole row may reach beyond the end of an object. LLVM assumes that no access does, but it knows
 * only the objects of private memory and those at module scope. */
#include "compiler/lower/memory/page_load.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"

/* The smallest page of any processor. */
#define PAGE_BYTES UINT64_C(4096)

/* AVX2 has masked loads of words. */
static bool has_masked_load(const struct geo_lower_target *target, uint32_t bits)
{
    return target->has_masks || (target->vector_bits >= 256 && bits >= 32);
}

/* Returns whether LLVM knows no object that the access may touch, or only such that no row is
 * longer than. */
static bool may_leave_object(const struct geo_access *access, uint64_t bytes)
{
    const struct geo_ir_inst *inst = access->inst;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct geo_ir_type *type = inst->operands[i] ? inst->operands[i]->type : NULL;
        if (type && type->kind == GEO_TYPE_POINTER) {
            return type->storage == SpvStorageClassWorkgroup ||
                   (type->storage == SpvStorageClassCrossWorkgroup &&
                    bytes <= access->f->lower->least_global_bytes);
        }
    }
    return false;
}

bool geo_access_page_load_wanted(const struct geo_access *access, LLVMTypeRef element)
{
    const struct geo_lower_function *f = access->f;
    uint32_t bits = geo_type_bits(LLVMGetUndef(element));
    return f->lanes > 1 && !access->zeros && !has_masked_load(&f->options->target, bits) &&
           may_leave_object(access, (uint64_t)bits / 8 * f->lanes);
}

LLVMValueRef geo_access_page_load_is_whole(struct geo_lower_function *f, LLVMValueRef pointer,
                                           uint64_t bytes)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef address = LLVMBuildPtrToInt(b, pointer, geo_type_i64(f), "");
    LLVMValueRef place = LLVMBuildAnd(b, address, geo_emit_const_i64(f, PAGE_BYTES - 1), "");
    return geo_emit_icmp(f, LLVMIntULE, place, geo_emit_const_i64(f, PAGE_BYTES - bytes));
}

LLVMValueRef geo_access_page_load(const struct geo_access *access, LLVMTypeRef row,
                                  LLVMValueRef pointer, LLVMValueRef mask, uint32_t align)
{
    struct geo_lower_function *f = access->f;
    LLVMBuilderRef b = f->llvm.builder;
    uint64_t bytes = (uint64_t)geo_type_bits(LLVMGetUndef(row)) / 8 * LLVMGetVectorSize(row);
    GEO_ASSERT(mask && bytes <= PAGE_BYTES);
    LLVMValueRef values[2], in_page = geo_access_page_load_is_whole(f, pointer, bytes);
    LLVMBasicBlockRef after = geo_emit_block_next(f, "loaded");
    LLVMBasicBlockRef lanes = geo_emit_block_next(f, "lanes");
    LLVMBasicBlockRef blocks[2] = {geo_emit_block_next(f, "row"), lanes};
    LLVMBuildCondBr(b, in_page, blocks[0], lanes);
    for (int i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(b, blocks[i]);
        values[i] = geo_access_row_load(access, row, pointer, i ? mask : NULL, align);
        LLVMBuildBr(b, after);
    }
    LLVMPositionBuilderAtEnd(b, after);
    LLVMValueRef phi = LLVMBuildPhi(b, row, "");
    LLVMAddIncoming(phi, values, blocks, 2);
    return phi;
}
