/* Derives the steps of each function from the descriptions of its parameters. See plan.h. */
#include "layers/validation/objects/plan.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

enum { STEPS = 1600 }; /* for all functions; the registry has 900 handles in parameters */

static struct geo_val_step steps[STEPS];
static size_t step_count;

struct geo_val_plan geo_val_plans[GEO_DDI_FUNCTION_COUNT];
bool geo_val_type_ends[GEO_DDI_HANDLE_COUNT];

/* Returns whether the created object does not depend on the object that it is created from. */
static bool makes_sibling(enum geo_ddi_function_id id)
{
    return id == GEO_DDI_FN_zeCommandListCreateCloneExp ||
           id == GEO_DDI_FN_zeCommandListEndGraphCaptureExt ||
           id == GEO_DDI_FN_zeGraphInstantiateExt;
}

static enum geo_val_action param_action(const struct geo_ddi_param *param)
{
    if (param->depth == 0 || param->direction == GEO_DDI_IN) {
        return param->release ? GEO_VAL_END : GEO_VAL_USE;
    }
    return param->create ? GEO_VAL_MADE : GEO_VAL_FOUND;
}

/* Adds the steps of one kind. The steps of a kind are contiguous. */
static void steps_add(const struct geo_ddi_function *function, enum geo_val_action action)
{
    const struct geo_ddi_param *params = geo_ddi_function_params(function);
    for (size_t i = 0; i < function->param_count; i++) {
        const struct geo_ddi_param *param = &params[i];
        if (param->kind != GEO_DDI_HANDLE || param->depth > 1 || param_action(param) != action) {
            continue;
        }
        if (param->count && param->count_param < 0) {
            continue;
        }
        GEO_ASSERT(step_count < STEPS);
        steps[step_count++] = (struct geo_val_step){.action = (uint8_t)action,
                                                    .param = (uint8_t)i,
                                                    .type = (uint8_t)param->index,
                                                    .array = param->count != NULL,
                                                    .count_param = param->count_param,
                                                    .count_indirect = param->count_indirect,
                                                    .alone = param->alone};
        if (action == GEO_VAL_END) {
            geo_val_type_ends[param->index] = true;
        }
    }
}

/* Finds the parent of a view: an object created from an object of its own type is a view of it. */
static int8_t view_of(const struct geo_val_plan *plan)
{
    for (size_t made = plan->use_count; made < plan->count && !plan->sibling; made++) {
        for (size_t i = 0; i < plan->use_count; i++) {
            const struct geo_val_step *step = &plan->steps[i];
            if (plan->steps[made].action == GEO_VAL_MADE && step->action == GEO_VAL_USE &&
                !step->array && step->type == plan->steps[made].type) {
                return (int8_t)i;
            }
        }
    }
    return -1;
}

static bool has_two_contexts(const struct geo_ddi_function *function)
{
    const struct geo_ddi_param *params = geo_ddi_function_params(function);
    unsigned contexts = 0;
    for (size_t i = 0; i < function->param_count; i++) {
        if (params[i].kind == GEO_DDI_HANDLE && params[i].depth == 0) {
            contexts += strcmp(geo_ddi_handles[params[i].index].name, "ze_context_handle_t") == 0;
        }
    }
    return contexts > 1 || (contexts == 1 && params[0].kind == GEO_DDI_HANDLE &&
                            strcmp(params[0].type, "ze_command_list_handle_t") == 0);
}

__attribute__((constructor)) static void plans_make(void)
{
    for (size_t i = 0; i < GEO_DDI_FUNCTION_COUNT; i++) {
        const struct geo_ddi_function *function = &geo_ddi_functions[i];
        struct geo_val_plan *plan = &geo_val_plans[i];
        plan->steps = &steps[step_count];
        steps_add(function, GEO_VAL_USE);
        steps_add(function, GEO_VAL_END);
        plan->use_count = (uint8_t)(&steps[step_count] - plan->steps);
        steps_add(function, GEO_VAL_MADE);
        steps_add(function, GEO_VAL_FOUND);
        plan->count = (uint8_t)(&steps[step_count] - plan->steps);
        plan->contexts = has_two_contexts(function);
        plan->sibling = makes_sibling((enum geo_ddi_function_id)i);
        plan->view_of = view_of(plan);
        plan->ends_children = i == GEO_DDI_FN_zeEventPoolCloseIpcHandle;
        for (size_t k = 0; k < plan->use_count; k++) {
            plan->has_arrays |= plan->steps[k].array;
        }
        for (size_t k = plan->use_count; k < plan->count; k++) {
            plan->makes_log |= strcmp(geo_ddi_handles[plan->steps[k].type].name,
                                      "ze_module_build_log_handle_t") == 0;
        }
    }
}

const char *geo_val_step_name(const struct geo_layer_call *call, const struct geo_val_step *step,
                              size_t index, char *buffer, size_t size)
{
    const char *name = geo_ddi_function_params(&geo_ddi_functions[call->id])[step->param].name;
    if (!step->array) {
        return name;
    }
    snprintf(buffer, size, "%s[%zu]", name, index);
    return buffer;
}
