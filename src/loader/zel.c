/* The loader's functions about itself, and its interface to the static shim that programs such as
 * SYCL's adapter link. Names and behaviour never change, because shims of any age call them.
 *
 * A shim opens this library, calls zeLoaderInit and reads the versions. It then fills its own
 * tables with every z*Get*ProcAddrTable and requests a tracing table. All of this happens before
 * zeInit. */
#include "loader/loader.h"

#include "ddi/geo_ddi_loader.h"
#include "loader/handle/handle.h"
#include "loader/layers/layers.h"

#include <level_zero/layers/zel_tracing_ddi.h>
#include <level_zero/loader/ze_loader.h>

#include <dlfcn.h>

/* Shims find these functions with dlsym. No public header declares them. */
ze_result_t ZE_APICALL zeLoaderInit(void);
ze_result_t ZE_APICALL zelLoaderGetVersion(zel_component_version_t *version);
ze_result_t ZE_APICALL zelLoaderGetVersionsInternal(size_t *num_elems,
                                                    zel_component_version_t *versions);
ze_result_t ZE_APICALL zelLoaderTranslateHandleInternal(zel_handle_type_t handleType,
                                                        void *handleIn, void **handleOut);
void *ZE_APICALL zeLoaderGetTracingHandle(void);
void *ZE_APICALL zelLoaderGetContext(void);
ze_result_t ZE_APICALL zelLoaderDriverCheck(ze_init_flags_t flags, ze_init_driver_type_desc_t *desc,
                                            ze_global_dditable_t *globalInitStored,
                                            zes_global_dditable_t *sysmanGlobalInitStored,
                                            bool *requireDdiReinit, bool sysmanOnly);
ze_result_t ZE_APICALL zelLoaderTracingLayerInit(_Atomic(ze_dditable_t *) *table);
ze_result_t ZE_APICALL zelLoaderZerTracingLayerInit(_Atomic(zer_dditable_t *) *table);

/* Always succeeds before the teardown: drivers are searched in the first initialisation call. */
ZE_APIEXPORT ze_result_t ZE_APICALL zeLoaderInit(void)
{
    return atomic_load(&geo_loader_state.torn_down) ? ZE_RESULT_ERROR_UNINITIALIZED
                                                    : ZE_RESULT_SUCCESS;
}

static void version_fill(zel_component_version_t *version)
{
    *version = (zel_component_version_t){
        .component_name = "loader",
        .spec_version = ZE_API_VERSION_CURRENT,
        .component_lib_version = {GEO_LOADER_MAJOR, GEO_LOADER_MINOR, GEO_LOADER_PATCH},
    };
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelLoaderGetVersion(zel_component_version_t *version)
{
    if (!version) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    version_fill(version);
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelGetLoaderVersion(zel_component_version_t *version)
{
    return zelLoaderGetVersion(version);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelLoaderGetVersionsInternal(size_t *num_elems,
                                                                 zel_component_version_t *versions)
{
    if (!num_elems) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    if (versions && *num_elems == 0) {
        return ZE_RESULT_ERROR_INVALID_SIZE;
    }
    if (versions) {
        version_fill(&versions[0]);
    }
    const size_t room = versions ? *num_elems - 1 : 0;
    const size_t count = 1 + geo_layers_versions(versions ? versions + 1 : NULL, room);
    *num_elems = versions && count > *num_elems ? *num_elems : count;
    return ZE_RESULT_SUCCESS;
}

/* Also succeeds when an initialisation found no driver, because programs print the version in that
 * case. */
ZE_APIEXPORT ze_result_t ZE_APICALL zelLoaderGetVersions(size_t *num_elems,
                                                         zel_component_version_t *versions)
{
    if (!atomic_load(&geo_loader_state.attempted)) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    return zelLoaderGetVersionsInternal(num_elems, versions);
}

/* Maps the handle types of the public API to ours. */
static const enum geo_ddi_handle_id handle_types[] = {
    [ZEL_HANDLE_DRIVER] = GEO_DDI_HANDLE_ze_driver_handle_t,
    [ZEL_HANDLE_DEVICE] = GEO_DDI_HANDLE_ze_device_handle_t,
    [ZEL_HANDLE_CONTEXT] = GEO_DDI_HANDLE_ze_context_handle_t,
    [ZEL_HANDLE_COMMAND_QUEUE] = GEO_DDI_HANDLE_ze_command_queue_handle_t,
    [ZEL_HANDLE_COMMAND_LIST] = GEO_DDI_HANDLE_ze_command_list_handle_t,
    [ZEL_HANDLE_FENCE] = GEO_DDI_HANDLE_ze_fence_handle_t,
    [ZEL_HANDLE_EVENT_POOL] = GEO_DDI_HANDLE_ze_event_pool_handle_t,
    [ZEL_HANDLE_EVENT] = GEO_DDI_HANDLE_ze_event_handle_t,
    [ZEL_HANDLE_IMAGE] = GEO_DDI_HANDLE_ze_image_handle_t,
    [ZEL_HANDLE_MODULE] = GEO_DDI_HANDLE_ze_module_handle_t,
    [ZEL_HANDLE_MODULE_BUILD_LOG] = GEO_DDI_HANDLE_ze_module_build_log_handle_t,
    [ZEL_HANDLE_KERNEL] = GEO_DDI_HANDLE_ze_kernel_handle_t,
    [ZEL_HANDLE_SAMPLER] = GEO_DDI_HANDLE_ze_sampler_handle_t,
    [ZEL_HANDLE_PHYSICAL_MEM] = GEO_DDI_HANDLE_ze_physical_mem_handle_t,
};

/* Returns the driver's handle behind a handle of the loader. Any other handle is already the
 * driver's and is returned unchanged. */
ZE_APIEXPORT ze_result_t ZE_APICALL zelLoaderTranslateHandleInternal(zel_handle_type_t handleType,
                                                                     void *handleIn,
                                                                     void **handleOut)
{
    if (!handleOut) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    if ((unsigned)handleType > ZEL_HANDLE_PHYSICAL_MEM) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    const struct geo_handle *handle = geo_handle_find_any(handle_types[handleType], handleIn);
    void *driver = handle ? geo_handle_driver(handle) : handleIn;
    if (handle && !driver) {
        return ZE_RESULT_ERROR_INVALID_NULL_HANDLE; /* the object was destroyed */
    }
    *handleOut = driver;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelLoaderTranslateHandle(zel_handle_type_t handleType,
                                                             void *handleIn, void **handleOut)
{
    return zelLoaderTranslateHandleInternal(handleType, handleIn, handleOut);
}

/* Returns the loader itself. Shims look up the functions that register callbacks in it, and the
 * loader's functions open the tracing layer when they are called. */
ZE_APIEXPORT void *ZE_APICALL zeLoaderGetTracingHandle(void)
{
    Dl_info info;
    return dladdr(&geo_loader_state, &info) && info.dli_fname
               ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
               : NULL;
}

/* Returns a pointer that means nothing to the caller: shims only check that the function exists. */
ZE_APIEXPORT void *ZE_APICALL zelLoaderGetContext(void)
{
    return &geo_loader_state;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelLoaderDriverCheck(
    ze_init_flags_t flags, ze_init_driver_type_desc_t *desc, ze_global_dditable_t *globalInitStored,
    zes_global_dditable_t *sysmanGlobalInitStored, bool *requireDdiReinit, bool sysmanOnly)
{
    (void)flags, (void)desc, (void)globalInitStored, (void)sysmanGlobalInitStored;
    (void)requireDdiReinit, (void)sysmanOnly;
    return ZE_RESULT_SUCCESS;
}

/* Returns the tables that a shim uses while tracing is on. Shims only read them; the pointer type
 * lacks const for historical reasons. */
ZE_APIEXPORT ze_result_t ZE_APICALL zelLoaderTracingLayerInit(_Atomic(ze_dditable_t *) *table)
{
    if (!table) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    atomic_store(table, (ze_dditable_t *)(uintptr_t)&geo_loader_exports.ze);
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelLoaderZerTracingLayerInit(_Atomic(zer_dditable_t *) *table)
{
    if (!table) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    atomic_store(table, (zer_dditable_t *)(uintptr_t)&geo_loader_exports.zer);
    return ZE_RESULT_SUCCESS;
}
