/* Tracks kernels and their arguments. See arguments.h. */
#include "layers/validation/uses/arguments.h"
#include "layers/validation/address/ranges.h"
#include "layers/validation/objects/devices.h"
#include "layers/validation/objects/rules.h"
#include "layers/validation/uses/describe.h"
#include "layers/validation/uses/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

struct geo_val_kernel *geo_val_arguments_kernel(const void *handle)
{
    return geo_val_data_of(GEO_VAL_KERNEL, handle);
}

static const struct geo_val_parameter *parameter_of(const struct geo_val_kernel *kernel,
                                                    uint32_t index)
{
    static const struct geo_val_parameter unknown = {0};
    return kernel->parameters && index < kernel->count ? &kernel->parameters[index] : &unknown;
}

/* --- values --- */

/* Returns a number that identifies the live object with this handle (life << 8 | type), or 0 when
 * no such object is alive. */
static uint64_t object_of(enum geo_val_kind kind, uintptr_t value)
{
    const struct geo_val_object *object = geo_val_data_kind_object(kind, (const void *)value);
    return object && geo_val_object_alive(object)
               ? atomic_load(&object->life) >> 2 << 8 | geo_val_data_kind_type(kind)
               : 0;
}

struct geo_val_argument geo_val_argument_of(const struct geo_val_kernel *kernel, uint32_t index,
                                            size_t size, const void *value)
{
    struct geo_val_argument argument = {0};
    if (!value || size != sizeof(argument.value)) {
        return argument;
    }
    memcpy(&argument.value, value, sizeof(argument.value));
    switch ((enum geo_val_argument_kind)parameter_of(kernel, index)->kind) {
    case GEO_VAL_ARGUMENT_VALUE:
    case GEO_VAL_ARGUMENT_LOCAL:
        argument.value = 0;
        break;
    case GEO_VAL_ARGUMENT_POINTER:
        break;
    case GEO_VAL_ARGUMENT_IMAGE:
        argument.object = object_of(GEO_VAL_IMAGE, argument.value);
        break;
    case GEO_VAL_ARGUMENT_SAMPLER:
        argument.object = object_of(GEO_VAL_SAMPLER, argument.value);
        break;
    case GEO_VAL_ARGUMENT_UNKNOWN:
        argument.object = object_of(GEO_VAL_IMAGE, argument.value);
        if (argument.object == 0) {
            argument.object = object_of(GEO_VAL_SAMPLER, argument.value);
        }
        break;
    }
    return argument;
}

/* Fills the item for an image or sampler that was alive when the argument was set. */
static void object_used(const struct geo_val_argument *argument, struct geo_val_used *used)
{
    used->type = (uint8_t)argument->object;
    used->kind =
        geo_val_data_kind_is(GEO_VAL_IMAGE, used->type) ? GEO_VAL_USED_IMAGE : GEO_VAL_USED_OBJECT;
    used->handle = (const void *)argument->value;
    used->life = argument->object >> 8;
    if (used->kind == GEO_VAL_USED_IMAGE) {
        geo_val_image_use(used, NULL);
    }
}

bool geo_val_argument_used(const struct geo_val_kernel *kernel, uint32_t index,
                           const struct geo_val_argument *argument, struct geo_val_used *used)
{
    const struct geo_val_parameter *parameter = parameter_of(kernel, index);
    struct geo_val_range range;
    *used = (struct geo_val_used){.reads = !parameter->write_only,
                                  .writes = !parameter->read_only,
                                  .maybe = true,
                                  .guess = parameter->kind == GEO_VAL_ARGUMENT_UNKNOWN,
                                  .argument = (int16_t)index,
                                  .index = -1};
    if (argument->value == 0) {
        return false;
    }
    if (argument->object != 0) {
        object_used(argument, used);
        return true;
    }
    if (parameter->kind == GEO_VAL_ARGUMENT_IMAGE || parameter->kind == GEO_VAL_ARGUMENT_SAMPLER) {
        return false;
    }
    used->kind = GEO_VAL_USED_MEMORY;
    used->handle = (const void *)argument->value;
    used->bytes = geo_val_box_bytes_at(argument->value, 1);
    if (!geo_val_range_find(argument->value, &range)) {
        return false;
    }
    if (!range.freed) {
        used->bytes = geo_val_box_bytes_at(range.base, range.size);
    }
    return true;
}

/* --- launches --- */

/* The parameters of a function with its kernel, and with argument values; -1: none. */
static struct {
    int8_t kernel, values;
} places[GEO_DDI_FUNCTION_COUNT];

void geo_val_arguments_make(void)
{
    for (int i = 0; i < GEO_DDI_FUNCTION_COUNT; i++) {
        const enum geo_ddi_function_id id = (enum geo_ddi_function_id)i;
        size_t count;
        const struct geo_val_row *row = geo_val_uses_rows(id, &count);
        places[i].kernel = places[i].values = -1;
        for (size_t k = 0; k < count; k++) {
            if (row[k].role == GEO_VAL_ROLE_KERNEL) {
                places[i].kernel = (int8_t)row[k].param;
            } else if (row[k].role == GEO_VAL_ROLE_ARGUMENTS) {
                places[i].values = (int8_t)row[k].param;
            }
        }
    }
}

bool geo_val_arguments_launches(enum geo_ddi_function_id id)
{
    return places[id].kernel >= 0 ||
           id == GEO_DDI_FN_zeCommandListAppendLaunchMultipleKernelsIndirect;
}

/* Returns the value that the call passes for an argument. An argument of unknown size is not
 * read. */
static struct geo_val_argument value_brought(const struct geo_val_kernel *kernel, uint32_t index,
                                             void *const *values)
{
    const struct geo_val_parameter *parameter = parameter_of(kernel, index);
    return geo_val_argument_of(kernel, index, parameter->size_min,
                               values && parameter->size_min ? values[index] : NULL);
}

static struct geo_val_argument value_set(const struct geo_val_kernel *kernel, uint32_t index)
{
    return (struct geo_val_argument){
        .value = atomic_load_explicit(&kernel->values[index], memory_order_relaxed),
        .object = atomic_load_explicit(&kernel->objects[index], memory_order_relaxed)};
}

static void kernel_visit(const void *handle, size_t param, void *const *values,
                         geo_val_used_fn visit, void *user)
{
    const struct geo_val_kernel *kernel = geo_val_arguments_kernel(handle);
    const struct geo_val_object *object = geo_val_data_kind_object(GEO_VAL_KERNEL, handle);
    const uintptr_t context = object ? atomic_load(&object->context) : 0;
    for (uint32_t i = 0; kernel && i < kernel->count && i < GEO_VAL_ARGUMENTS; i++) {
        const struct geo_val_argument argument =
            values ? value_brought(kernel, i, values) : value_set(kernel, i);
        struct geo_val_used used;
        if (!geo_val_argument_used(kernel, i, &argument, &used)) {
            continue;
        }
        used.param = (uint8_t)param;
        used.context = context;
        visit(&used, user);
    }
}

void geo_val_arguments_each(const struct geo_layer_call *call, geo_val_used_fn visit, void *user)
{
    const int8_t at = places[call->id].kernel, values = places[call->id].values;
    if (call->id == GEO_DDI_FN_zeCommandListAppendLaunchMultipleKernelsIndirect) {
        void *const *kernels = ARGUMENT(call, 2, void *const *);
        for (uint32_t i = 0; kernels && i < ARGUMENT(call, 1, uint32_t); i++) {
            kernel_visit(kernels[i], 2, NULL, visit, user);
        }
    } else if (at >= 0) {
        kernel_visit(ARGUMENT(call, at, void *), (size_t)at,
                     values >= 0 ? ARGUMENT(call, values, void *const *) : NULL, visit, user);
    }
}

/* --- checks --- */

static void kernel_tell(const struct geo_layer_call *call, enum geo_val_message message,
                        const char *argument, const void *handle, const char *text)
{
    const struct geo_val_object *object = geo_val_data_kind_object(GEO_VAL_KERNEL, handle);
    const struct geo_val_history history =
        object ? geo_val_object_history(object) : (struct geo_val_history){0};
    const struct geo_val_place place = {
        .call = call, .argument = argument, .handle = handle, .history = object ? &history : NULL};
    geo_val_tell(message, &place, "%p %s", handle, text);
}

static const char *param_name(const struct geo_layer_call *call, size_t param)
{
    return geo_ddi_function_params(&geo_ddi_functions[call->id])[param].name;
}

static ze_result_t kernel_check(const struct geo_layer_call *call, size_t param, const void *handle)
{
    const struct geo_val_kernel *kernel = geo_val_arguments_kernel(handle);
    const uint64_t set = kernel ? atomic_load_explicit(&kernel->set, memory_order_relaxed) : 0;
    char text[96];
    for (uint32_t i = 0; kernel && i < kernel->count && i < GEO_VAL_ARGUMENTS; i++) {
        if (set >> i & 1) {
            continue;
        }
        snprintf(text, sizeof(text), "is launched, and its argument %u of %u has never been set", i,
                 kernel->count);
        kernel_tell(call, GEO_VAL_ARGUMENT_NOT_SET, param_name(call, param), handle, text);
        return geo_val_refusal(ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_val_arguments_check(const struct geo_layer_call *call)
{
    const int8_t at = places[call->id].kernel;
    if (!geo_val_on(GEO_VAL_COMMANDS)) {
        return ZE_RESULT_SUCCESS;
    }
    if (call->id == GEO_DDI_FN_zeCommandListAppendLaunchMultipleKernelsIndirect) {
        void *const *kernels = ARGUMENT(call, 2, void *const *);
        ze_result_t result = ZE_RESULT_SUCCESS;
        for (uint32_t i = 0;
             kernels && i < ARGUMENT(call, 1, uint32_t) && result == ZE_RESULT_SUCCESS; i++) {
            result = kernel_check(call, 2, kernels[i]);
        }
        return result;
    }
    return at >= 0 && places[call->id].values < 0
               ? kernel_check(call, (size_t)at, ARGUMENT(call, at, const void *))
               : ZE_RESULT_SUCCESS;
}

void geo_val_argument_size_check(const struct geo_layer_call *call, const void *handle,
                                 uint32_t index, size_t size, const void *value, const char *name)
{
    const struct geo_val_kernel *kernel = geo_val_arguments_kernel(handle);
    char text[160];
    /* A null value is valid with any size. */
    if (!kernel || !value || !geo_val_on(GEO_VAL_COMMANDS)) {
        return;
    }
    const struct geo_val_parameter *parameter = parameter_of(kernel, index);
    if (parameter->size_max == 0 || (size >= parameter->size_min && size <= parameter->size_max)) {
        return;
    }
    snprintf(text, sizeof(text), "has %u bytes for argument %u, and the value given has %zu",
             parameter->size_min, index, size);
    kernel_tell(call, GEO_VAL_ARGUMENT_SIZE, name, handle, text);
}

/* Reports an image or sampler of another device than the kernel's. */
static void object_device_check(const struct geo_layer_call *call)
{
    const void *handle = ARGUMENT(call, 0, const void *);
    const struct geo_val_kernel *kernel = geo_val_arguments_kernel(handle);
    if (!kernel || !geo_val_on(GEO_VAL_COMMANDS)) {
        return;
    }
    const struct geo_val_argument argument =
        geo_val_argument_of(kernel, ARGUMENT(call, 1, uint32_t), ARGUMENT(call, 2, size_t),
                            ARGUMENT(call, 3, const void *));
    const struct geo_val_object *object =
        argument.object
            ? geo_val_object_find((unsigned)argument.object & 0xff, (const void *)argument.value)
            : NULL;
    if (geo_val_devices_apart(object, geo_val_data_kind_object(GEO_VAL_KERNEL, handle))) {
        kernel_tell(call, GEO_VAL_OTHER_DEVICE, "pArgValue", (const void *)argument.value,
                    "was made for another device than the kernel");
    }
}

static ze_result_t set_check(const struct geo_layer_call *call)
{
    object_device_check(call);
    geo_val_argument_size_check(call, ARGUMENT(call, 0, const void *), ARGUMENT(call, 1, uint32_t),
                                ARGUMENT(call, 2, size_t), ARGUMENT(call, 3, const void *),
                                "argSize");
    return ZE_RESULT_SUCCESS;
}

/* --- notes --- */

static void argument_store(struct geo_val_kernel *kernel, uint32_t index,
                           const struct geo_val_argument *argument)
{
    atomic_store_explicit(&kernel->values[index], argument->value, memory_order_relaxed);
    atomic_store_explicit(&kernel->objects[index], argument->object, memory_order_relaxed);
    atomic_fetch_or_explicit(&kernel->set, UINT64_C(1) << index, memory_order_relaxed);
}

/* Records the value of an argument. Takes no lock, because the call has exclusive use of the
 * kernel. */
static void set_note(const struct geo_layer_call *call, void *scratch)
{
    (void)scratch;
    struct geo_val_kernel *kernel = geo_val_arguments_kernel(ARGUMENT(call, 0, void *));
    const uint32_t index = ARGUMENT(call, 1, uint32_t);
    if (!kernel || index >= GEO_VAL_ARGUMENTS) {
        return;
    }
    const struct geo_val_argument argument = geo_val_argument_of(
        kernel, index, ARGUMENT(call, 2, size_t), ARGUMENT(call, 3, const void *));
    argument_store(kernel, index, &argument);
}

void geo_val_arguments_note(const struct geo_layer_call *call)
{
    const int8_t at = places[call->id].kernel, values = places[call->id].values;
    struct geo_val_kernel *kernel =
        values >= 0 ? geo_val_arguments_kernel(ARGUMENT(call, at, void *)) : NULL;
    for (uint32_t i = 0; kernel && i < kernel->count && i < GEO_VAL_ARGUMENTS; i++) {
        const struct geo_val_argument argument =
            value_brought(kernel, i, ARGUMENT(call, values, void *const *));
        argument_store(kernel, i, &argument);
    }
}

static void create_note(const struct geo_layer_call *call, void *scratch)
{
    (void)scratch;
    const ze_kernel_handle_t handle = *ARGUMENT(call, 2, ze_kernel_handle_t *);
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    struct geo_val_kernel *kernel =
        geo_val_data_begin(GEO_VAL_KERNEL, handle, sizeof(struct geo_val_kernel));
    if (!kernel) {
        return;
    }
    free(kernel->parameters);
    *kernel = (struct geo_val_kernel){.data = kernel->data};
    if (!geo_layer_next.ze.Kernel.pfnGetProperties ||
        geo_layer_next.ze.Kernel.pfnGetProperties(handle, &properties) != ZE_RESULT_SUCCESS) {
        return;
    }
    kernel->count = properties.numKernelArgs;
    kernel->parameters = geo_val_describe_kernel(handle, kernel->count);
}

const struct geo_val_rule geo_val_argument_rules[] = {
    {.function = GEO_DDI_FN_zeKernelCreate, .note = create_note},
    {.function = GEO_DDI_FN_zeKernelSetArgumentValue,
     .check = set_check,
     .note = set_note,
     .alone = true},
    /* These change how a launch runs, not what it uses. */
    {.function = GEO_DDI_FN_zeKernelSetGroupSize, .nothing = true},
    {.function = GEO_DDI_FN_zeKernelSetGlobalOffsetExp, .nothing = true},
    {.function = GEO_DDI_FN_zeKernelSetCacheConfig, .nothing = true},
    {.function = GEO_DDI_FN_zeKernelSetIndirectAccess, .nothing = true},
    {.function = GEO_DDI_FN_zeKernelSchedulingHintExp, .nothing = true},
    {.function = GEO_DDI_FUNCTION_COUNT}};
