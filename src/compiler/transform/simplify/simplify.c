/* Folds instructions, removes dead code and simplifies the graph, in rounds until nothing changes.
 *
 * A round visits instructions in reverse postorder, so operands are folded before their users. Only
 * values that pass around a loop wait for the next round. The number of rounds is bounded. */
#include "compiler/transform/simplify/simplify.h"

#define MAX_ROUNDS 8

/* Reads of built-in variables, merged into one instruction each. */
struct builtins {
    struct geo_ir_inst *list[64]; /* first instruction for each variable, component and width */
    uint32_t count;
};

/* Returns the earlier instruction that replaces this one; NULL: it is the first. */
static struct geo_ir_inst *builtin_known(struct builtins *builtins, struct geo_ir_inst *inst)
{
    for (uint32_t i = 0; i < builtins->count; i++) {
        struct geo_ir_inst *known = builtins->list[i];
        if (known->value.type == inst->value.type && known->literals[0] == inst->literals[0] &&
            known->literals[1] == inst->literals[1]) {
            return known;
        }
    }
    if (builtins->count < sizeof(builtins->list) / sizeof(builtins->list[0])) {
        builtins->list[builtins->count++] = inst;
    }
    return NULL;
}

/* Moves the reads of built-in variables behind the function's variables. They have no operands, so
 * this is always legal. */
static void builtins_gather(struct geo_ir_function *function)
{
    struct builtins builtins = {.count = 0};
    struct geo_ir_inst *behind = function->first_block->first;
    while (behind->op == SpvOpVariable || behind->op == (SpvOp)GEO_OP_BUILTIN) {
        behind = behind->next;
    }
    bool gathered = true; /* instructions before `behind` are already in place */
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            gathered = gathered && inst != behind;
            if (inst->op != (SpvOp)GEO_OP_BUILTIN) {
                continue;
            }
            struct geo_ir_inst *known = builtin_known(&builtins, inst);
            if (known) {
                inst->value.forward = &known->value;
                geo_ir_inst_remove(inst);
            } else if (!gathered) {
                geo_ir_inst_remove(inst);
                geo_ir_inst_insert_before(behind, inst);
            }
        }
    }
    geo_ir_function_resolve(function);
}

static bool fold_all(struct geo_pass *pass, struct geo_ir_function *function, bool *changed)
{
    struct geo_cfg cfg;
    geo_ir_function_number(function);
    if (!geo_cfg_build(function, &pass->arena, &cfg)) {
        return geo_pass_no_memory(pass);
    }
    for (uint32_t i = 0; i < cfg.reachable_count; i++) {
        geo_ir_for_each_inst(inst, cfg.order[i]) {
            for (uint32_t o = 0; o < inst->operand_count; o++) {
                inst->operands[o] = geo_ir_value_end(inst->operands[o]);
            }
            struct geo_ir_value *value = geo_transform_fold(pass, inst, changed);
            if (pass->result != ZE_RESULT_SUCCESS) {
                return false;
            }
            if (value && value != &inst->value) {
                inst->value.forward = value;
                geo_ir_inst_remove(inst);
                *changed = true;
            } else if (inst->op == SpvOpAssumeTrueKHR) {
                geo_ir_inst_remove(inst);
            }
        }
    }
    geo_ir_function_resolve(function);
    return true;
}

bool geo_simplify_function(struct geo_pass *pass, struct geo_ir_function *function)
{
    bool changed = true;
    builtins_gather(function);
    for (int round = 0; changed && round < (pass->optimize ? MAX_ROUNDS : 1); round++) {
        changed = false;
        if ((pass->optimize && !fold_all(pass, function, &changed)) ||
            !geo_simplify_cfg(pass, function, &changed) || !geo_remove_dead(pass, function)) {
            return false;
        }
    }
    return true;
}

ze_result_t geo_transform_simplify(struct geo_ir_module *module, bool optimize,
                                   struct geo_strbuf *log)
{
    struct geo_pass pass;
    bool good = geo_pass_begin(&pass, module, log);
    pass.optimize = optimize;
    geo_ir_for_each_function(function, module) {
        if (good && function->first_block) {
            good = geo_simplify_function(&pass, function);
        }
    }
    return geo_pass_end(&pass);
}
