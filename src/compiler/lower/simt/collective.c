/* Reductions and scans of work-groups whose result depends on the order of the items. The others
 * are expanded (transform/expand/collectives.c). Each item puts its value into shared memory and
 * joins the values of the items in the order of their linear ids, as the CPU does:
 *
 *     barrier; values[own] = x; barrier; for (k = 0; k < end; k++) result = result op values[k]
 *
 * All items compute a reduction, which takes no longer than if one did. */
#include "compiler/ir/group_op.h"
#include "compiler/lower/arith/half.h"
#include "compiler/lower/arith/join.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/simt/simt.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

/* The most items of a work-group, and the bytes of each. */
#define ITEMS_LIMIT  1024u
#define VALUE_BYTES  8u
#define SPACE_SHARED 3u

/* Returns the shared memory for the values of a group's items, which all operations use in turn. */
static LLVMValueRef values_memory(struct geo_lower_function *f)
{
    struct geo_lower_module_frame *module = f->lower->frame;
    if (!module->values) {
        LLVMTypeRef type = LLVMArrayType2(geo_type_i64(f), ITEMS_LIMIT);
        module->values =
            LLVMAddGlobalInAddressSpace(f->llvm.module, type, "geoid_values", SPACE_SHARED);
        LLVMSetInitializer(module->values, LLVMGetPoison(type));
        LLVMSetLinkage(module->values, LLVMInternalLinkage);
        LLVMSetAlignment(module->values, VALUE_BYTES);
    }
    return LLVMConstAddrSpaceCast(module->values, geo_type_ptr(f));
}

static LLVMValueRef place_of(struct geo_lower_function *f, LLVMValueRef index)
{
    LLVMValueRef offset =
        LLVMBuildMul(f->llvm.builder, index, geo_emit_const_i64(f, VALUE_BYTES), "");
    return geo_emit_offset(f, values_memory(f), offset);
}

static void barrier(struct geo_lower_function *f)
{
    LLVMValueRef number = geo_emit_const_i32(f, 0);
    geo_simt_ids_intrinsic(f, "llvm.nvvm.barrier.cta.sync.all", &number, 1);
}

/* Emits the loop over the values of the items below `end`. Returns the joined value. */
static LLVMValueRef join_all(struct geo_lower_function *f, enum geo_group_join join,
                             LLVMValueRef identity, LLVMValueRef end, bool is_float)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef type = LLVMTypeOf(identity);
    LLVMValueRef zero = geo_emit_const_i64(f, 0);
    bool is_bool = type == geo_type_i1(f);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef head = geo_emit_block_last(f, "items");
    LLVMBasicBlockRef body = geo_emit_block_last(f, "item");
    LLVMBasicBlockRef behind = geo_emit_block_last(f, "joined");
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, head);
    LLVMValueRef index = LLVMBuildPhi(b, geo_type_i64(f), "");
    LLVMValueRef sum = LLVMBuildPhi(b, type, "");
    LLVMBuildCondBr(b, geo_emit_icmp(f, LLVMIntULT, index, end), body, behind);
    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef value = LLVMBuildLoad2(b, is_bool ? geo_type_i8(f) : type, place_of(f, index), "");
    value = is_bool ? LLVMBuildTrunc(b, value, type, "") : value;
    LLVMValueRef next = geo_arith_join_two(f, join, sum, value, is_float);
    LLVMValueRef after = LLVMBuildAdd(b, index, geo_emit_const_i64(f, 1), "");
    LLVMBasicBlockRef from[2] = {before, LLVMGetInsertBlock(b)};
    LLVMAddIncoming(index, (LLVMValueRef[]){zero, after}, from, 2);
    LLVMAddIncoming(sum, (LLVMValueRef[]){identity, next}, from, 2);
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, behind);
    return sum;
}

static LLVMValueRef part_collect(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                 uint32_t part, LLVMValueRef end)
{
    const struct geo_ir_type *type = geo_part_type(inst->value.type, part);
    LLVMValueRef value = geo_value_scalar(f, inst->operands[1], part);
    bool half = geo_type_is_half(type), is_float = type->kind == GEO_TYPE_FLOAT;
    bool exclusive = inst->literals[0] == SpvGroupOperationExclusiveScan;
    enum geo_group_join join = geo_group_op_find((uint32_t)inst->op)->join;
    value = half ? geo_arith_half_to_float(f, value) : value;
    LLVMValueRef identity = geo_arith_join_identity(join, LLVMTypeOf(value), is_float, exclusive);
    barrier(f); /* waits for items that still read the previous values */
    LLVMValueRef stored = type->kind == GEO_TYPE_BOOL ? geo_emit_zext(f, value, 8) : value;
    LLVMBuildStore(f->llvm.builder, stored, place_of(f, geo_simt_linear_id(f)));
    barrier(f);
    LLVMValueRef result = join_all(f, join, identity, end, is_float);
    return half ? geo_arith_float_to_half(f, result, SpvFPRoundingModeRTE) : result;
}

bool geo_simt_collective(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    const struct geo_group_op *group = geo_group_op_find((uint32_t)inst->op);
    if (group->join == GEO_JOIN_NONE || inst->operand_count != 2) {
        geo_state_error(f, inst, "the instruction is not supported");
        return false;
    }
    LLVMValueRef end = inst->literals[0] == SpvGroupOperationReduce ? geo_simt_ids_group_items(f)
                                                                    : geo_simt_linear_id(f);
    if (inst->literals[0] == SpvGroupOperationInclusiveScan) {
        end = LLVMBuildAdd(f->llvm.builder, end, geo_emit_const_i64(f, 1), "");
    }
    for (uint32_t part = 0; part < geo_part_count(inst->value.type); part++) {
        geo_value_set(f, inst, part, part_collect(f, inst, part, end));
    }
    return !f->failed;
}
