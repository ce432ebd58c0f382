/* The part that runs the checks of commands, events and memory in commands. It collects the tables
 * of rules, and runs the rules of each function, with or without the model's lock. See rules.h, and
 * model.h for the data. */
#include "base/assert.h"
#include "layers/validation/commands/lists.h"
#include "layers/validation/objects/devices.h"
#include "layers/validation/uses/arguments.h"
#include "layers/validation/uses/uses.h"

struct geo_val_rules geo_val_rules[GEO_DDI_FUNCTION_COUNT];

static void rule_add(enum geo_ddi_function_id id, const struct geo_val_rule *rule)
{
    size_t i = 0;
    while (geo_val_rules[id].of[i]) {
        i++;
    }
    GEO_ASSERT(i < GEO_VAL_RULES);
    geo_val_rules[id].of[i] = rule;
}

static const struct geo_val_rule *append_rule(enum geo_ddi_function_id id)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[id];
    for (size_t i = 0; i < function->param_count; i++) {
        const enum geo_val_role role = geo_val_uses_role(id, i);
        if (role == GEO_VAL_ROLE_LISTS) {
            return &geo_val_nested_rule;
        }
        if (role == GEO_VAL_ROLE_GRAPH) {
            return &geo_val_graph_append_rule;
        }
    }
    return &geo_val_append_rule;
}

static bool needs_lock(const struct geo_val_rules *rules, bool before)
{
    bool needs = false;
    for (size_t i = 0; rules->of[i]; i++) {
        const struct geo_val_rule *rule = rules->of[i];
        if (before) {
            needs |= rule->prepare || (rule->check && !rule->alone && !rule->check_alone);
        } else {
            needs |= rule->note && !rule->alone;
        }
    }
    return needs;
}

/* Properties of each function's rules, computed once. */
static struct {
    bool followed, lock_before, lock_after;
} plans[GEO_DDI_FUNCTION_COUNT];

static void plan_make(enum geo_ddi_function_id id)
{
    const struct geo_val_rules *rules = &geo_val_rules[id];
    for (size_t i = 0; rules->of[i]; i++) {
        plans[id].followed |= !rules->of[i]->nothing;
    }
    plans[id].lock_before = needs_lock(rules, true);
    plans[id].lock_after = needs_lock(rules, false);
}

__attribute__((constructor)) static void rules_collect(void)
{
    static const struct geo_val_rule *const tables[] = {
        geo_val_list_rules,    geo_val_queue_rules,  geo_val_event_rules,   geo_val_argument_rules,
        geo_val_pool_rules,    geo_val_graph_rules,  geo_val_mutable_rules, geo_val_end_rules,
        geo_val_virtual_rules, geo_val_device_rules, geo_val_image_rules,
    };
    geo_val_data_kinds_make();
    geo_val_uses_make();
    geo_val_records_make();
    geo_val_arguments_make();
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        for (const struct geo_val_rule *row = tables[i]; row->function < GEO_DDI_FUNCTION_COUNT;
             row++) {
            rule_add((enum geo_ddi_function_id)row->function, row);
        }
    }
    for (int i = 0; i < GEO_DDI_FUNCTION_COUNT; i++) {
        const enum geo_ddi_function_id id = (enum geo_ddi_function_id)i;
        if (geo_val_uses_appends(id)) {
            rule_add(id, append_rule(id));
        }
        if (geo_val_takes_device(id)) {
            rule_add(id, &geo_val_device_rule);
        }
        plan_make(id);
    }
}

/* --- the part --- */

/* Runs all checks before any `prepare`, so that a refused call prepares nothing. */
static ze_result_t rules_before(const struct geo_layer_call *call, void **scratch)
{
    const struct geo_val_rules *rules = &geo_val_rules[call->id];
    for (size_t i = 0; rules->of[i]; i++) {
        const ze_result_t result =
            rules->of[i]->check ? rules->of[i]->check(call) : ZE_RESULT_SUCCESS;
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
    }
    for (size_t i = 0; rules->of[i]; i++) {
        if (rules->of[i]->prepare) {
            *scratch = rules->of[i]->prepare(call);
        }
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t commands_before(struct geo_layer_call *call, void **scratch)
{
    if (!plans[call->id].lock_before) {
        return rules_before(call, scratch);
    }
    geo_val_data_lock();
    const ze_result_t result = rules_before(call, scratch);
    geo_val_data_unlock();
    return result;
}

static void rules_after(const struct geo_layer_call *call, void *prepared)
{
    const struct geo_val_rules *rules = &geo_val_rules[call->id];
    for (size_t i = 0; rules->of[i]; i++) {
        if (rules->of[i]->note) {
            rules->of[i]->note(call, prepared);
        }
    }
}

static void commands_after(struct geo_layer_call *call, void **scratch)
{
    if (!geo_layer_succeeded(call)) {
        return;
    }
    if (!plans[call->id].lock_after) {
        rules_after(call, *scratch);
        return;
    }
    geo_val_data_lock();
    rules_after(call, *scratch);
    geo_val_data_unlock();
}

static bool commands_want(const struct geo_ddi_function *function)
{
    return (geo_val_on(GEO_VAL_COMMANDS) || geo_val_on(GEO_VAL_EVENTS) ||
            geo_val_on(GEO_VAL_MEMORY)) &&
           plans[function - geo_ddi_functions].followed;
}

const struct geo_layer_part geo_val_part_commands = {
    .name = "commands", .wants = commands_want, .before = commands_before, .after = commands_after};
