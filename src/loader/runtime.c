/* The runtime API: functions whose arguments name no driver. They use the default driver, which is
 * the first of the list. */
#include "loader/loader.h"

#include "base/strbuf.h"
#include "ddi/geo_loader_own.h"

#include <string.h>

#define NO_DRIVER_BYTES 512u

/* Returns the default driver, or NULL before the core is initialised and after the teardown. */
static const struct geo_driver_entry *default_driver(void)
{
    const struct geo_driver_list *list = atomic_load(&geo_loader_state.core_list);
    bool usable = list && list->count && atomic_load(&geo_loader_state.core_requested) &&
                  !atomic_load(&geo_loader_state.torn_down);
    return usable ? &list->entries[0] : NULL;
}

/* ---- error descriptions for calls that do not reach the driver ---- */

/* The text of the reference loader. */
static const char unsupported[] = "ERROR UNSUPPORTED FEATURE";

/* Error of the thread's last call of this API; NULL: the driver has the description. */
static _Thread_local const char *own_error __attribute__((tls_model("initial-exec")));

/* The driver's function table. NULL, with the error recorded, when the driver lacks the
 * function. */
#define FUNCTIONS_WITH(driver, member)                                                             \
    functions_of((driver)->library, (driver)->library->tables->zer.Global.member !=                \
                                        geo_loader_stubs.zer.Global.member)

static const zer_global_dditable_t *functions_of(const struct geo_library *library, bool has)
{
    own_error = has ? NULL : unsupported;
    return has ? &library->tables->zer.Global : NULL;
}

/* Why the thread's last initialisation found no driver; "" when it did not fail. */
static _Thread_local char no_driver_text[NO_DRIVER_BYTES];

void geo_runtime_note(const char *text)
{
    geo_strbuf_shown(no_driver_text, sizeof(no_driver_text), text, strlen(text));
}

ze_result_t ZE_APICALL geo_own_zerGetLastErrorDescription(const char **ppString)
{
    const struct geo_driver_entry *driver = default_driver();
    if (!driver && (!*no_driver_text || atomic_load(&geo_loader_state.torn_down))) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    if (!ppString) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    if (!driver) {
        *ppString = no_driver_text;
        return ZE_RESULT_SUCCESS;
    }
    if (own_error) {
        *ppString = own_error;
        return ZE_RESULT_SUCCESS;
    }
    return driver->library->tables->zer.Global.pfnGetLastErrorDescription(ppString);
}

/* ---- the functions ---- */

/* Returns the program's handle for a driver's handle. NULL stays NULL. Also returns NULL when
 * memory ran out, because these functions have no result code. */
static void *handle_given(const struct geo_driver_entry *driver, enum geo_ddi_handle_id type,
                          void *handle)
{
    struct geo_translation *translation = driver->library->translation;
    return handle && translation ? geo_handle_get(translation, type, handle) : handle;
}

/* Returns the driver's identifier of a device. Identifiers are small numbers of the default driver,
 * so only its devices have one. For a NULL device the driver itself reports the error. */
uint32_t ZE_APICALL geo_own_zerTranslateDeviceHandleToIdentifier(ze_device_handle_t hDevice)
{
    const struct geo_driver_entry *driver = default_driver();
    const zer_global_dditable_t *functions =
        driver ? FUNCTIONS_WITH(driver, pfnTranslateDeviceHandleToIdentifier) : NULL;
    if (!functions) {
        return UINT32_MAX;
    }
    const bool translated = driver->library->translation != NULL;
    if (hDevice && (driver->library->ddi_handles || translated)) {
        const ze_handle_t *device = (const ze_handle_t *)hDevice;
        const ze_handle_t *owner = (const ze_handle_t *)driver->handle;
        if (device->pCore != owner->pCore) {
            own_error = "hDevice is not of the default driver";
            return UINT32_MAX;
        }
    }
    if (hDevice && translated) {
        hDevice = (ze_device_handle_t)geo_handle_driver((const struct geo_handle *)hDevice);
    }
    return functions->pfnTranslateDeviceHandleToIdentifier(hDevice);
}

ze_device_handle_t ZE_APICALL geo_own_zerTranslateIdentifierToDeviceHandle(uint32_t identifier)
{
    const struct geo_driver_entry *driver = default_driver();
    const zer_global_dditable_t *functions =
        driver ? FUNCTIONS_WITH(driver, pfnTranslateIdentifierToDeviceHandle) : NULL;
    if (!functions) {
        return NULL;
    }
    void *device = functions->pfnTranslateIdentifierToDeviceHandle(identifier);
    return (ze_device_handle_t)handle_given(driver, GEO_DDI_HANDLE_ze_device_handle_t, device);
}

ze_context_handle_t ZE_APICALL geo_own_zerGetDefaultContext(void)
{
    const struct geo_driver_entry *driver = default_driver();
    const zer_global_dditable_t *functions =
        driver ? FUNCTIONS_WITH(driver, pfnGetDefaultContext) : NULL;
    if (!functions) {
        return NULL;
    }
    void *context = functions->pfnGetDefaultContext();
    return (ze_context_handle_t)handle_given(driver, GEO_DDI_HANDLE_ze_context_handle_t, context);
}
