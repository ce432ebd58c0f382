/* Emits counted loops; see loop.h. */
#include "compiler/lower/cpu/function/loop.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mark.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"

void geo_function_loop_begin(struct geo_lower_function *f, struct geo_lower_loop *loop,
                             const char *name)
{
    loop->slot = geo_emit_alloca(f, geo_type_i64(f), name);
    loop->head = geo_emit_block_last(f, name);
    LLVMBuildStore(f->llvm.builder, geo_emit_const_i64(f, 0), loop->slot);
    LLVMBuildBr(f->llvm.builder, loop->head);
    LLVMPositionBuilderAtEnd(f->llvm.builder, loop->head);
    loop->value = LLVMBuildLoad2(f->llvm.builder, geo_type_i64(f), loop->slot, name);
}

void geo_function_loop_while(struct geo_lower_function *f, struct geo_lower_loop *loop,
                             LLVMValueRef condition)
{
    GEO_ASSERT(loop->head && LLVMIsAICmpInst(condition));
    LLVMBasicBlockRef body = geo_emit_block_last(f, "loop");
    loop->counted = LLVMIsConstant(LLVMGetOperand(condition, 1));
    loop->exit = geo_emit_block_last(f, "exit");
    LLVMBuildCondBr(f->llvm.builder, condition, body, loop->exit);
    LLVMPositionBuilderAtEnd(f->llvm.builder, body);
}

void geo_function_loop_end(struct geo_lower_function *f, struct geo_lower_loop *loop, uint64_t step)
{
    LLVMValueRef next = LLVMBuildAdd(f->llvm.builder, loop->value, geo_emit_const_i64(f, step), "");
    LLVMBuildStore(f->llvm.builder, next, loop->slot);
    LLVMValueRef back = LLVMBuildBr(f->llvm.builder, loop->head);
    if (!loop->counted) {
        /* otherwise LLVM spends much time on deciding whether to unroll */
        geo_emit_mark_rolled(f, back);
    }
    LLVMPositionBuilderAtEnd(f->llvm.builder, loop->exit);
}

LLVMValueRef geo_function_loop_below(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(f->llvm.builder, LLVMIntULT, a, b, "");
}
