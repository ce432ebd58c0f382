/* Checks arguments by the registry's data. First come the checks that a driver makes as well
 * (geo_ddi_call_check); these refuse the call. Then come errors that a driver ignores: structures
 * with a wrong stype, and structures in chains where they have no meaning. */
#include "layers/validation/objects/plan.h"
#include "layers/walk.h"

#include "ddi/geo_ddi_chain.h"

#include <stdio.h>
#include <string.h>

/* Functions with a typed structure or a chain among their parameters. */
static bool has_chains[GEO_DDI_FUNCTION_COUNT];

__attribute__((constructor)) static void chains_find(void)
{
    for (size_t i = 0; i < GEO_DDI_FUNCTION_COUNT; i++) {
        const struct geo_ddi_param *params = geo_ddi_function_params(&geo_ddi_functions[i]);
        for (size_t k = 0; k < geo_ddi_functions[i].param_count; k++) {
            has_chains[i] |=
                params[k].chain || (params[k].kind == GEO_DDI_STRUCT && params[k].index >= 0 &&
                                    geo_ddi_structs[params[k].index].has_stype);
        }
    }
}

static enum geo_val_message breach_message(const struct geo_ddi_breach *breach)
{
    switch ((enum geo_ddi_check_kind)breach->check->kind) {
    case GEO_DDI_CHECK_NULL:
        return breach->check->result == ZE_RESULT_ERROR_INVALID_NULL_HANDLE ? GEO_VAL_NULL_HANDLE
                                                                            : GEO_VAL_NULL_POINTER;
    case GEO_DDI_CHECK_NULL_ARRAY:
        return GEO_VAL_NULL_POINTER;
    case GEO_DDI_CHECK_FLAGS:
        return GEO_VAL_UNKNOWN_FLAGS;
    case GEO_DDI_CHECK_ENUM:
        return GEO_VAL_UNKNOWN_ENUMERATOR;
    case GEO_DDI_CHECK_UNKNOWN_LINK:
        return GEO_VAL_MISPLACED_EXTENSION;
    case GEO_DDI_CHECK_ZERO:
    case GEO_DDI_CHECK_NO_MULTIPLE:
    case GEO_DDI_CHECK_NO_POWER_OF_TWO:
    case GEO_DDI_CHECK_LINKS:
        break;
    }
    return GEO_VAL_WRONG_SIZE;
}

/* --- structures and chains --- */

/* Prints the name of a value: "desc", "pProperties[1]", "desc->pNext". */
static void value_name(const struct geo_layer_value *value, char *buffer, size_t size)
{
    const struct geo_layer_value *top = value;
    while (top->parent) {
        top = top->parent;
    }
    if (value->place == GEO_LAYER_LINK) {
        snprintf(buffer, size, "%s%s", top->param->name, top->param->chain ? "" : "->pNext");
    } else if (value->param->count) {
        snprintf(buffer, size, "%s[%zu]", value->param->name, value->index);
    } else {
        snprintf(buffer, size, "%s", value->param->name);
    }
}

static void value_tell(const struct geo_layer_call *call, enum geo_val_message message,
                       const struct geo_layer_value *value, const char *text)
{
    char name[96];
    value_name(value, name, sizeof(name));
    const struct geo_val_place place = {.call = call, .argument = name, .handle = value->address};
    geo_val_tell(message, &place, "%s", text);
}

static void struct_check(const struct geo_layer_call *call, const struct geo_layer_value *value)
{
    const struct geo_ddi_struct *s = &geo_ddi_structs[value->param->index];
    const void *object = value->address;
    uint32_t stype;
    char text[192];
    if (value->param->depth == 2) {
        memcpy(&object, value->address, sizeof(object));
    }
    if (!s->has_stype || !object) {
        return;
    }
    memcpy(&stype, object, sizeof(stype));
    const struct geo_ddi_struct *is = geo_ddi_stype_struct((enum geo_ddi_api)s->api, stype);
    if (is == s) {
        return;
    }
    snprintf(text, sizeof(text), "stype is 0x%x%s%s, not one of %s", stype, is ? " of " : "",
             is ? is->name : "", s->name);
    value_tell(call, GEO_VAL_WRONG_STYPE, value, text);
}

static void link_check(const struct geo_layer_call *call, const struct geo_layer_value *value)
{
    const uint32_t stype = (uint32_t)((const ze_base_properties_t *)value->address)->stype;
    char text[192];
    if (value->index + 1 >= GEO_CHAIN_LIMIT) {
        value_tell(call, GEO_VAL_ENDLESS_CHAIN, value, "the chain does not end");
    } else if (!value->structure) {
        snprintf(text, sizeof(text), "no structure of type 0x%x is known", stype);
        value_tell(call, GEO_VAL_UNKNOWN_EXTENSION, value, text);
    } else if (value->base ? !geo_ddi_struct_follows(value->structure, value->base)
                           : !geo_ddi_struct_extends_call(value->structure, call->id)) {
        snprintf(text, sizeof(text), "%s does not extend %s", value->structure->name,
                 value->base ? value->base->name : "the call");
        value_tell(call, GEO_VAL_MISPLACED_EXTENSION, value, text);
    }
}

static ze_result_t value_check(const struct geo_layer_value *value, void *user)
{
    const struct geo_layer_call *call = user;
    if (value->place == GEO_LAYER_LINK) {
        link_check(call, value);
    } else if (value->place == GEO_LAYER_ELEMENT && value->param->kind == GEO_DDI_STRUCT &&
               value->param->index >= 0) {
        struct_check(call, value);
    }
    return ZE_RESULT_SUCCESS;
}

/* --- arrays of handles --- */

/* Returns whether NULL handles in an array have a meaning for the function. */
static bool may_have_nulls(enum geo_ddi_function_id id)
{
    return id == GEO_DDI_FN_zeCommandListUpdateMutableCommandWaitEventsExp;
}

static ze_result_t handles_check(const struct geo_layer_call *call)
{
    const struct geo_val_plan *plan = &geo_val_plans[call->id];
    for (size_t i = 0; i < plan->use_count; i++) {
        const struct geo_val_step *step = &plan->steps[i];
        size_t count, k = 0;
        if (!step->array || may_have_nulls(call->id)) {
            continue;
        }
        void *const *handles = geo_val_step_handles(call, step, &count);
        while (k < count && handles[k]) {
            k++;
        }
        if (k == count) {
            continue;
        }
        char name[64];
        const struct geo_val_place place = {
            .call = call, .argument = geo_val_step_name(call, step, k, name, sizeof(name))};
        geo_val_tell(GEO_VAL_NULL_HANDLE, &place, "is null");
        return geo_val_refusal(ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t breach_check(const struct geo_layer_call *call)
{
    struct geo_ddi_breach breach;
    const ze_result_t result = geo_ddi_call_check(call->id, call->arguments, 0, &breach);
    if (result == ZE_RESULT_SUCCESS) {
        return result;
    }
    char text[256];
    const struct geo_val_place place = {.call = call};
    geo_ddi_breach_format(&breach, text, sizeof(text));
    geo_val_tell(breach_message(&breach), &place, "%s", text);
    return geo_val_refusal(result);
}

/* --- pointers in nested structures --- */

static ze_result_t constants_check(const struct geo_layer_call *call, const char *argument,
                                   const ze_module_constants_t *constants)
{
    if (!constants || constants->numConstants == 0 ||
        (constants->pConstantIds && constants->pConstantValues)) {
        return ZE_RESULT_SUCCESS;
    }
    const struct geo_val_place place = {.call = call, .argument = argument};
    geo_val_tell(GEO_VAL_NULL_POINTER, &place, "->%s is null, and numConstants is %u",
                 constants->pConstantIds ? "pConstantValues" : "pConstantIds",
                 constants->numConstants);
    return geo_val_refusal(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

/* Checks the specialisation constants of one module, or of each input module in the chain. */
static ze_result_t module_check(const struct geo_layer_call *call)
{
    const ze_module_desc_t *desc = *(const ze_module_desc_t **)call->arguments[2];
    const ze_module_program_exp_desc_t *program = GEO_CHAIN_FIND(
        ze_module_desc_t, ze_module_program_exp_desc_t, GEO_CHAIN_OF(ze_module_desc_t, desc));
    ze_result_t result = constants_check(call, "desc->pConstants", desc->pConstants);
    for (uint32_t i = 0;
         result == ZE_RESULT_SUCCESS && program && program->pConstants && i < program->count; i++) {
        char name[48];
        snprintf(name, sizeof(name), "desc->pNext->pConstants[%u]", i);
        result = constants_check(call, name, program->pConstants[i]);
    }
    return result;
}

static ze_result_t parameters_before(struct geo_layer_call *call, void **scratch)
{
    (void)scratch;
    bool (*const suspects)(void *const *) = geo_ddi_suspicions[call->id];
    if (suspects && suspects(call->arguments)) {
        const ze_result_t result = breach_check(call);
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
    }
    if (has_chains[call->id]) {
        geo_layer_walk(call, GEO_LAYER_BEFORE, value_check, call);
    }
    if (call->id == GEO_DDI_FN_zeModuleCreate) {
        return module_check(call); /* it has no arrays of handles */
    }
    return geo_val_plans[call->id].has_arrays ? handles_check(call) : ZE_RESULT_SUCCESS;
}

static bool parameters_wants(const struct geo_ddi_function *function)
{
    return geo_val_on(GEO_VAL_PARAMETERS) &&
           (function->check_count > 0 || has_chains[function - geo_ddi_functions]);
}

const struct geo_layer_part geo_val_part_parameters = {
    .name = "parameters", .wants = parameters_wants, .before = parameters_before};
