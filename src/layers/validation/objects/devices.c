/* Checks that objects belong to the same device. See devices.h. */
#include "layers/validation/objects/devices.h"

#include <stdlib.h>
#include <string.h>

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

static ze_device_handle_t root_of(ze_device_handle_t device)
{
    ze_device_handle_t root = NULL;
    return geo_layer_next.ze.Device.pfnGetRootDevice &&
                   geo_layer_next.ze.Device.pfnGetRootDevice(device, &root) == ZE_RESULT_SUCCESS &&
                   root
               ? root
               : device;
}

bool geo_val_devices_related(ze_device_handle_t one, ze_device_handle_t other)
{
    return one == other || root_of(one) == root_of(other);
}

bool geo_val_devices_apart(const struct geo_val_object *one, const struct geo_val_object *other)
{
    const uintptr_t a = one ? atomic_load_explicit(&one->device, memory_order_relaxed) : 0;
    const uintptr_t b = other ? atomic_load_explicit(&other->device, memory_order_relaxed) : 0;
    return a != 0 && b != 0 && a != b &&
           !geo_val_devices_related((ze_device_handle_t)a, (ze_device_handle_t)b);
}

/* --- contexts --- */

struct geo_val_context *geo_val_devices_context(const void *handle)
{
    return geo_val_data_of(GEO_VAL_CONTEXT, handle);
}

static struct geo_val_context *context_begin(const struct geo_layer_call *call)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[call->id];
    const void *handle = function->returned >= 0
                             ? *(void *const *)call->result
                             : *ARGUMENT(call, function->param_count - 1u, void **);
    struct geo_val_context *context =
        geo_val_data_begin(GEO_VAL_CONTEXT, handle, sizeof(struct geo_val_context));
    if (!context) {
        return NULL;
    }
    free(context->devices);
    *context = (struct geo_val_context){.data = context->data,
                                        .driver = ARGUMENT(call, 0, ze_driver_handle_t)};
    return context;
}

static void context_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    context_begin(call);
}

static void context_ex_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    struct geo_val_context *context = context_begin(call);
    const uint32_t count = ARGUMENT(call, 2, uint32_t);
    const ze_device_handle_t *devices = ARGUMENT(call, 3, const ze_device_handle_t *);
    if (!context || count == 0 || !devices) {
        return;
    }
    context->devices = malloc(count * sizeof(*devices));
    if (!context->devices) {
        return;
    }
    memcpy(context->devices, devices, count * sizeof(*devices));
    context->device_count = count;
}

/* --- calls that name a device --- */

static void device_tell(const struct geo_layer_call *call, const char *argument, const void *handle,
                        const char *text)
{
    const struct geo_val_place place = {.call = call, .argument = argument, .handle = handle};
    geo_val_tell(GEO_VAL_OTHER_DEVICE, &place, "%p %s", handle, text);
}

static bool is_device(const struct geo_ddi_param *param)
{
    return param->kind == GEO_DDI_HANDLE && param->depth == 0 && param->direction == GEO_DDI_IN &&
           geo_val_data_kind_is(GEO_VAL_DEVICE, (unsigned)param->index);
}

bool geo_val_takes_device(enum geo_ddi_function_id id)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[id];
    const struct geo_ddi_param *params = geo_ddi_function_params(function);
    bool takes = false;
    for (size_t i = 1; i < function->param_count; i++) {
        takes |= is_device(&params[i]);
    }
    return takes && params[0].kind == GEO_DDI_HANDLE &&
           geo_val_data_kind_is(GEO_VAL_CONTEXT, (unsigned)params[0].index);
}

static bool context_has(const struct geo_val_context *context, ze_device_handle_t device)
{
    for (uint32_t i = 0; i < context->device_count; i++) {
        if (geo_val_devices_related(context->devices[i], device)) {
            return true;
        }
    }
    return context->device_count == 0;
}

static ze_result_t device_check(const struct geo_layer_call *call)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[call->id];
    const struct geo_ddi_param *params = geo_ddi_function_params(function);
    const struct geo_val_context *context = geo_val_devices_context(ARGUMENT(call, 0, void *));
    for (size_t i = 1; context && context->device_count > 0 && i < function->param_count; i++) {
        const ze_device_handle_t device =
            is_device(&params[i]) ? ARGUMENT(call, i, ze_device_handle_t) : NULL;
        if (device && geo_val_on(GEO_VAL_COMMANDS) && !context_has(context, device)) {
            device_tell(call, params[i].name, device, "is none of the devices of the context");
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* Checks that linked modules belong to one device. */
static ze_result_t link_check(const struct geo_layer_call *call)
{
    void *const *modules = ARGUMENT(call, 1, void *const *);
    for (uint32_t i = 1; modules && geo_val_on(GEO_VAL_COMMANDS) && i < ARGUMENT(call, 0, uint32_t);
         i++) {
        if (geo_val_devices_apart(geo_val_data_kind_object(GEO_VAL_MODULE, modules[0]),
                                  geo_val_data_kind_object(GEO_VAL_MODULE, modules[i]))) {
            device_tell(call, "phModules", modules[i],
                        "was made for another device than the first");
        }
    }
    return ZE_RESULT_SUCCESS;
}

const struct geo_val_rule geo_val_device_rule = {.check = device_check};

const struct geo_val_rule geo_val_device_rules[] = {
    {.function = GEO_DDI_FN_zeContextCreate, .note = context_note},
    {.function = GEO_DDI_FN_zeContextCreateEx, .note = context_ex_note},
    {.function = GEO_DDI_FN_zeDriverGetDefaultContext, .note = context_note},
    {.function = GEO_DDI_FN_zeModuleDynamicLink, .check = link_check},
    {.function = GEO_DDI_FUNCTION_COUNT}};
