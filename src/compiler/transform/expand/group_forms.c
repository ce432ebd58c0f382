/* Replaces group operations by equivalent others, so that analyses and lowering handle only one
 * form:
 *
 *     OpSubgroup...KHR (SPV_KHR_shader_ballot,   SPIR-V 1.3's operations at sub-group scope
 *     SPV_KHR_subgroup_vote)
 *     OpControlBarrierArriveINTEL                a memory barrier: arriving does not wait
 *     OpControlBarrierWaitINTEL                  a control barrier: an item that waits has arrived
 */
#include "compiler/transform/pass/pass.h"

/* An opcode and its replacement. `adds_scope`: only the replacement has a scope operand. */
struct form {
    uint32_t from, to;
    bool adds_scope;
};

static const struct form forms[] = {
    {SpvOpSubgroupBallotKHR, SpvOpGroupNonUniformBallot, true},
    {SpvOpSubgroupFirstInvocationKHR, SpvOpGroupNonUniformBroadcastFirst, true},
    {SpvOpSubgroupAllKHR, SpvOpGroupNonUniformAll, true},
    {SpvOpSubgroupAnyKHR, SpvOpGroupNonUniformAny, true},
    {SpvOpSubgroupAllEqualKHR, SpvOpGroupNonUniformAllEqual, true},
    {SpvOpSubgroupReadInvocationKHR, SpvOpGroupNonUniformBroadcast, true},
    {SpvOpControlBarrierWaitINTEL, SpvOpControlBarrier, false},
};

static bool inst_rewrite(struct geo_pass *pass, struct geo_ir_inst *inst, const struct form *form)
{
    struct geo_ir_inst *made = geo_make(pass, inst, (SpvOp)form->to, inst->value.type,
                                        inst->operand_count + form->adds_scope, 0, 0);
    struct geo_ir_value *scope = geo_pass_int(pass, pass->type_i32, SpvScopeSubgroup);
    if (!made || !scope) {
        return geo_pass_no_memory(pass);
    }
    made->operands[0] = scope;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        made->operands[i + form->adds_scope] = inst->operands[i];
    }
    inst->value.forward = &made->value;
    geo_ir_inst_remove(inst);
    return true;
}

/* Turns an arrive into a memory barrier. Its operands are execution scope, memory scope and
 * semantics. */
static bool arrive_rewrite(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    geo_make_binary(pass, inst, SpvOpMemoryBarrier, inst->value.type, inst->operands[1],
                    inst->operands[2]);
    geo_ir_inst_remove(inst);
    return pass->result == ZE_RESULT_SUCCESS;
}

static bool inst_visit(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    if (inst->op == SpvOpControlBarrierArriveINTEL) {
        return arrive_rewrite(pass, inst);
    }
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (forms[i].from == (uint32_t)inst->op) {
            return inst_rewrite(pass, inst, &forms[i]);
        }
    }
    return true;
}

ze_result_t geo_transform_group_forms(struct geo_ir_module *module, struct geo_strbuf *log)
{
    return geo_pass_each(module, log, inst_visit, NULL);
}
