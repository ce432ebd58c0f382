/* Folding, dead code and graph clean-up, in rounds until nothing changes.
 *
 * A round visits the instructions in reverse postorder, so operands are folded before their users;
 * only what comes around a loop waits for the next round. The number of rounds is bounded. */
#include "compiler/transform/internal.h"

#define MAX_ROUNDS 8

/* A built-in read in several places is one instruction at the function's entry. */
struct builtins {
    struct geo_ir_inst *list[64]; /* first of each (built-in, component, width) by hash; linear */
    uint32_t count;
};

static bool is_builtin(const struct geo_ir_inst *inst)
{
    return inst->op == (SpvOp)GEO_OP_BUILTIN;
}

static struct geo_ir_value *builtin_fold(struct builtins *builtins, struct geo_ir_inst *inst)
{
    for (uint32_t i = 0; i < builtins->count; i++) {
        struct geo_ir_inst *known = builtins->list[i];
        if (known->value.type == inst->value.type && known->literals[0] == inst->literals[0] &&
            known->literals[1] == inst->literals[1]) {
            return known == inst ? NULL : &known->value;
        }
    }
    struct geo_ir_block *entry = inst->block->function->first_block;
    if (builtins->count == sizeof(builtins->list) / sizeof(builtins->list[0])) {
        return NULL;
    }
    builtins->list[builtins->count++] = inst;
    /* Behind the variables: it has no operands, so it may stand anywhere. */
    struct geo_ir_inst *first = entry->first;
    while (first->op == SpvOpVariable) {
        first = first->next;
    }
    if (first != inst) {
        geo_ir_inst_remove(inst);
        geo_ir_inst_insert_before(first, inst);
    }
    return NULL;
}

static bool fold_all(struct geo_pass *pass, struct geo_ir_function *function, bool *changed)
{
    struct builtins builtins = {.count = 0};
    struct geo_cfg cfg;
    geo_ir_function_number(function);
    if (!geo_cfg_build(function, &pass->arena, &cfg)) {
        return geo_pass_no_memory(pass);
    }
    for (uint32_t i = 0; i < cfg.reachable_count; i++) {
        geo_ir_for_each_inst(inst, cfg.order[i])
        {
            for (uint32_t o = 0; o < inst->operand_count; o++) {
                inst->operands[o] = geo_value_end(inst->operands[o]);
            }
            struct geo_ir_value *value =
                is_builtin(inst) ? builtin_fold(&builtins, inst) : geo_fold(pass, inst, changed);
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
    geo_ir_for_each_function(function, module)
    {
        if (good && function->first_block) {
            good = geo_simplify_function(&pass, function);
        }
    }
    return geo_pass_end(&pass);
}
