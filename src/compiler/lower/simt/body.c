/* Emits the blocks of a function: each block of the model is a block of LLVM, and each phi is one
 * phi for each part. Blocks are emitted in reverse postorder, so a value is emitted before its
 * uses. Only phis may use later values, so they are filled at the end. */
#include "base/assert.h"
#include "compiler/lower/dispatch/dispatch.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/simt/simt.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

static LLVMBasicBlockRef start_of(struct geo_lower_function *f, const struct geo_ir_block *block)
{
    return f->frame->starts[f->frame->code->cfg.position[block->index]];
}

/* ---- phis ---- */

static void phi_create(struct geo_lower_function *f, const struct geo_ir_inst *phi)
{
    for (uint32_t part = 0; part < geo_part_count(phi->value.type) && !f->failed; part++) {
        LLVMTypeRef type = geo_type_of(f, geo_part_type(phi->value.type, part));
        geo_value_set(f, phi, part, LLVMBuildPhi(f->llvm.builder, type, ""));
    }
}

/* Adds the value that a phi has behind one predecessor, once for each edge of LLVM's graph. */
static void phi_fill_edge(struct geo_lower_function *f, const struct geo_ir_inst *phi,
                          uint32_t place, LLVMBasicBlockRef end)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(end);
    LLVMBasicBlockRef start = start_of(f, phi->block);
    LLVMPositionBuilderBefore(f->llvm.builder, last);
    for (uint32_t part = 0; part < geo_part_count(phi->value.type); part++) {
        LLVMValueRef to = geo_value_scalar(f, (struct geo_ir_value *)&phi->value, part);
        LLVMValueRef value = geo_value_scalar(f, phi->operands[place], part);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++) {
            if (LLVMGetSuccessor(last, i) == start) {
                LLVMAddIncoming(to, &value, &end, 1);
            }
        }
    }
}

static void phis_fill(struct geo_lower_function *f, const struct geo_ir_block *block)
{
    const struct geo_cfg *cfg = &f->frame->code->cfg;
    const struct geo_cfg_edges *preds = &cfg->preds[block->index];
    for (const struct geo_ir_inst *phi = block->first; phi->op == SpvOpPhi; phi = phi->next) {
        for (uint32_t i = 0; i < preds->count && !f->failed; i++) {
            uint32_t from = cfg->position[preds->blocks[i]->index];
            if (from != GEO_CFG_NONE) {
                phi_fill_edge(f, phi, i, f->frame->ends[from]);
            }
        }
    }
}

/* ---- terminators ---- */

static void leave(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(f->llvm.function));
    if (LLVMGetTypeKind(type) == LLVMVoidTypeKind) {
        LLVMBuildRetVoid(f->llvm.builder);
        return;
    }
    LLVMValueRef result = LLVMConstNull(type);
    for (uint32_t i = 0; inst->operand_count && i < LLVMCountStructElementTypes(type); i++) {
        LLVMValueRef part = geo_value_scalar(f, inst->operands[0], i);
        result = LLVMBuildInsertValue(f->llvm.builder, result, part, i, "");
    }
    LLVMBuildRet(f->llvm.builder, result);
}

static void switch_emit(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMValueRef selector = geo_value_scalar(f, inst->operands[0], 0);
    LLVMValueRef branch = LLVMBuildSwitch(f->llvm.builder, selector, start_of(f, inst->targets[0]),
                                          inst->target_count - 1);
    for (uint32_t i = 1; i < inst->target_count; i++) {
        uint64_t bits = inst->literals[2 * i - 2] | (uint64_t)inst->literals[2 * i - 1] << 32;
        LLVMAddCase(branch, LLVMConstInt(LLVMTypeOf(selector), bits, 0),
                    start_of(f, inst->targets[i]));
    }
}

static void terminator(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    switch (inst->op) {
    case SpvOpBranch:
        LLVMBuildBr(f->llvm.builder, start_of(f, inst->targets[0]));
        return;
    case SpvOpBranchConditional:
        LLVMBuildCondBr(f->llvm.builder, geo_value_scalar(f, inst->operands[0], 0),
                        start_of(f, inst->targets[0]), start_of(f, inst->targets[1]));
        return;
    case SpvOpSwitch:
        switch_emit(f, inst);
        return;
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpUnreachable: /* on the CPU, too, an item that comes here ends */
        leave(f, inst);
        return;
    default:
        geo_state_error(f, inst, "not supported");
        LLVMBuildUnreachable(f->llvm.builder);
    }
}

/* ---- blocks ---- */

static void block_emit(struct geo_lower_function *f, uint32_t position)
{
    const struct geo_ir_block *block = f->frame->code->cfg.order[position];
    const struct geo_ir_inst *inst = block->first;
    LLVMPositionBuilderAtEnd(f->llvm.builder, f->frame->starts[position]);
    for (; inst->op == SpvOpPhi; inst = inst->next) {
        phi_create(f, inst);
    }
    for (; inst != block->last && !f->failed; inst = inst->next) {
        if (!geo_dispatch_instruction(f, inst) && !f->failed) {
            geo_state_error(f, inst, "not supported");
        }
    }
    if (f->failed) {
        LLVMBuildUnreachable(f->llvm.builder);
    } else {
        terminator(f, block->last);
    }
    f->frame->ends[position] = LLVMGetInsertBlock(f->llvm.builder);
}

bool geo_simt_body(struct geo_lower_function *f)
{
    const struct geo_cfg *cfg = &f->frame->code->cfg;
    f->frame->starts = geo_arena_new_array(f->arena, LLVMBasicBlockRef, cfg->reachable_count);
    f->frame->ends = geo_arena_new_array(f->arena, LLVMBasicBlockRef, cfg->reachable_count);
    if (!f->frame->starts || !f->frame->ends) {
        geo_state_no_memory(f);
        return false;
    }
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        f->frame->starts[i] = geo_emit_block_last(f, "block");
    }
    LLVMBuildBr(f->llvm.builder, f->frame->starts[0]);
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        block_emit(f, i);
    }
    for (uint32_t i = 0; i < cfg->reachable_count && !f->failed; i++) {
        phis_fill(f, cfg->order[i]);
    }
    return !f->failed;
}
