/* Queries the drivers' descriptions of kernel arguments. See describe.h. */
#include "layers/validation/uses/describe.h"
#include "layers/validation/objects/devices.h"

#include <geoid/kernel.h>
#include <level_zero/loader/ze_loader.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef ze_result_t(ZE_APICALL *argument_size_fn)(ze_kernel_handle_t kernel, uint32_t index,
                                                  uint32_t *size);

/* --- the driver of a kernel --- */

static ze_driver_handle_t driver_of(ze_kernel_handle_t kernel)
{
    const struct geo_val_object *object = geo_val_data_kind_object(GEO_VAL_KERNEL, kernel);
    const struct geo_val_context *context =
        object ? geo_val_devices_context((const void *)atomic_load(&object->context)) : NULL;
    return context ? context->driver : NULL;
}

/* --- functions by name --- */

typedef ze_result_t(ZE_APICALL *translate_fn)(zel_handle_type_t type, void *handle, void **out);

/* Finds the handle translation of the loader in this process. Returns NULL when it is not Geoid's
 * loader. */
static translate_fn translate_find(void)
{
    translate_fn translate = NULL;
    void *loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!loader) {
        return NULL;
    }
    if (dlsym(loader, "geoidLoaderExplain")) {
        void *symbol = dlsym(loader, "zelLoaderTranslateHandle");
        memcpy(&translate, &symbol, sizeof(translate));
    }
    dlclose(loader);
    return translate;
}

/* Returns the driver's own handle of a kernel, or NULL when it cannot be determined. */
static ze_kernel_handle_t own_handle(ze_kernel_handle_t kernel)
{
    static _Atomic(translate_fn) found;
    static atomic_bool looked;
    void *own = NULL;
    if (!atomic_load(&looked)) {
        atomic_store(&found, translate_find());
        atomic_store(&looked, true);
    }
    const translate_fn translate = atomic_load(&found);
    return translate && translate(ZEL_HANDLE_KERNEL, kernel, &own) == ZE_RESULT_SUCCESS
               ? (ze_kernel_handle_t)own
               : NULL;
}

static void *driver_function(ze_driver_handle_t driver, const char *name)
{
    void *function = NULL;
    if (!geo_layer_next.ze.Driver.pfnGetExtensionFunctionAddress ||
        geo_layer_next.ze.Driver.pfnGetExtensionFunctionAddress(driver, name, &function) !=
            ZE_RESULT_SUCCESS) {
        return NULL;
    }
    return function;
}

/* --- descriptions --- */

static bool ours_ask(void *function, ze_kernel_handle_t kernel, uint32_t count,
                     struct geo_val_parameter *parameters)
{
    static const uint8_t kinds[] = {
        [GEOID_KERNEL_ARGUMENT_VALUE] = GEO_VAL_ARGUMENT_VALUE,
        [GEOID_KERNEL_ARGUMENT_POINTER] = GEO_VAL_ARGUMENT_POINTER,
        [GEOID_KERNEL_ARGUMENT_LOCAL] = GEO_VAL_ARGUMENT_LOCAL,
        [GEOID_KERNEL_ARGUMENT_IMAGE] = GEO_VAL_ARGUMENT_IMAGE,
        [GEOID_KERNEL_ARGUMENT_SAMPLER] = GEO_VAL_ARGUMENT_SAMPLER,
    };
    geoid_pfnKernelGetArgument_t ask;
    memcpy(&ask, &function, sizeof(ask));
    for (uint32_t i = 0; i < count; i++) {
        struct geoid_kernel_argument is = {0};
        if (ask(kernel, i, &is) != ZE_RESULT_SUCCESS) {
            return false;
        }
        parameters[i] = (struct geo_val_parameter){
            .kind = is.kind < sizeof(kinds) ? kinds[is.kind] : GEO_VAL_ARGUMENT_UNKNOWN,
            .read_only = is.read_only != 0,
            .write_only = is.write_only != 0,
            .size_min = is.size,
            .size_max = is.size};
    }
    return true;
}

/* Queries the sizes of all arguments. The reported size of a structure ends with the last used
 * member, so up to PADDING more bytes are allowed. */
static bool sizes_ask(void *function, ze_kernel_handle_t kernel, uint32_t count,
                      struct geo_val_parameter *parameters)
{
    enum { PADDING = 64 };
    argument_size_fn ask;
    memcpy(&ask, &function, sizeof(ask));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = 0;
        if (ask(kernel, i, &size) != ZE_RESULT_SUCCESS) {
            return false;
        }
        parameters[i] = (struct geo_val_parameter){
            .size_min = size, .size_max = size > sizeof(uint64_t) ? size + PADDING : size};
    }
    return true;
}

struct geo_val_parameter *geo_val_describe_kernel(ze_kernel_handle_t kernel, uint32_t count)
{
    const ze_driver_handle_t driver = driver_of(kernel);
    const ze_kernel_handle_t own = driver && count > 0 ? own_handle(kernel) : NULL;
    struct geo_val_parameter *parameters = own ? calloc(count, sizeof(*parameters)) : NULL;
    if (!parameters) {
        return NULL;
    }
    void *function = driver_function(driver, "geoidKernelGetArgument");
    bool told = function && ours_ask(function, own, count, parameters);
    if (!told) {
        function = driver_function(driver, "zexKernelGetArgumentSize");
        told = function && sizes_ask(function, own, count, parameters);
    }
    if (!told) {
        free(parameters);
        parameters = NULL;
    }
    return parameters;
}
