/* Adds the two tracing extensions, which the layer implements, to a driver's list of extensions. */
#include "layers/tracing/part.h"

#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/zet_api.h>

static const ze_driver_extension_properties_t extensions[] = {
    {ZEL_API_TRACING_NAME, ZEL_API_TRACING_VERSION_CURRENT},
    {ZET_API_TRACING_EXP_NAME, ZET_API_TRACING_EXP_VERSION_CURRENT},
};

enum { EXTENSION_COUNT = sizeof(extensions) / sizeof(extensions[0]) };

static ze_driver_get_extension_properties_params_t *params_of(const struct geo_layer_call *call)
{
    return (ze_driver_get_extension_properties_params_t *)(uintptr_t)call->arguments;
}

static bool is_the_list(const struct geo_ddi_function *function)
{
    return function == &geo_ddi_functions[GEO_DDI_FN_zeDriverGetExtensionProperties];
}

/* Saves the size of the caller's array, because the driver overwrites it with the number of
 * extensions. */
static ze_result_t extensions_before(struct geo_layer_call *call, void **scratch)
{
    const uint32_t *count = *params_of(call)->ppCount;
    *scratch = (void *)(uintptr_t)(count ? *count : 0);
    return ZE_RESULT_SUCCESS;
}

/* Appends the layer's extensions to the driver's, as far as the caller's array has space. */
static void extensions_after(struct geo_layer_call *call, void **scratch)
{
    const uint32_t room = (uint32_t)(uintptr_t)*scratch;
    uint32_t *count = *params_of(call)->ppCount;
    ze_driver_extension_properties_t *list = *params_of(call)->ppExtensionProperties;
    if (!geo_layer_succeeded(call) || !count) {
        return;
    }
    if (room == 0 || !list) {
        *count += EXTENSION_COUNT;
        return;
    }
    for (size_t i = 0; i < EXTENSION_COUNT && *count < room; i++) {
        list[(*count)++] = extensions[i];
    }
}

const struct geo_layer_part geo_trace_part_extensions = {
    .name = "extensions",
    .wants = is_the_list,
    .before = extensions_before,
    .after = extensions_after,
};
