/* A driver for the loader's tests: no devices behind it, only behaviour chosen at compile time.
 *
 *   FAKE_NAME            text; FAKE_ID a number that makes its handles and versions its own
 *   FAKE_DEVICES         devices reported (1)       FAKE_TYPE  their type (GPU)
 *   FAKE_INTEGRATED      so many of them, the last, are integrated (0)
 *   FAKE_DDI             handles begin with dispatch tables (1)
 *   FAKE_VERSION         API version that it implements (the newest); tables have that length
 *   FAKE_STRICT_VERSION  refuses tables newer than FAKE_VERSION
 *   FAKE_INIT_RESULT     what initialisation returns; FAKE_INIT_DELAY_MS: after which time
 *   FAKE_LEGACY          has no zeInitDrivers
 *   FAKE_NO_GLOBAL       lacks zeGetGlobalProcAddrTable
 *   FAKE_NO_SYSMAN       has no sysman tables; FAKE_NO_RUNTIME: none of the runtime API
 *   FAKE_SURVIVES        says that it may be called until the end of the process (0); others end
 *                        the process with an error when they are called after their destructor
 *   FAKE_REENTRANT       calls zeInit of the process while it is initialised
 *   FAKE_FORKS           does so in a child
 *   FAKE_STUCK           its initialisation never returns; FAKE_STUCK_AT_LOAD: opening it does not.
 *                        When it is there it says so by a byte to the file descriptor FAKE_STUCK_FD
 *   FAKE_STUCK_SYSMAN    so does zesInit; FAKE_STUCK_LIST: zesDriverGet
 *   FAKE_GATED           its initialisation says so, too, and goes on with a byte that it reads
 *                        from FAKE_GATE_FD
 *
 * At run time, FAKE_FAIL_<NAME> in the environment makes initialisation fail. */
#include "fake_driver.h"

#include "limit.h"

#include <level_zero/ze_ddi_common.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef FAKE_DEVICES
#define FAKE_DEVICES 1
#endif
#ifndef FAKE_TYPE
#define FAKE_TYPE ZE_DEVICE_TYPE_GPU
#endif
#ifndef FAKE_INTEGRATED
#define FAKE_INTEGRATED 0
#endif
#ifndef FAKE_DDI
#define FAKE_DDI 1
#endif
#ifndef FAKE_VERSION
#define FAKE_VERSION ZE_API_VERSION_CURRENT
#endif
#ifndef FAKE_SURVIVES
#define FAKE_SURVIVES 0
#endif
#ifndef FAKE_INIT_RESULT
#define FAKE_INIT_RESULT ZE_RESULT_SUCCESS
#endif
#ifndef FAKE_INIT_DELAY_MS
#define FAKE_INIT_DELAY_MS 0
#endif

#define EXPORT __attribute__((visibility("default")))

EXPORT struct fake_driver_state fake_driver_state = {.name = FAKE_NAME};

/* An object: what its handle points to. Without dispatch tables it begins with addresses that
 * nobody may follow. */
struct fake_object {
    ze_handle_t block;
    int kind; /* 'R' driver, 'D' device, 'C' context */
    int id;
};

static ze_dditable_driver_t core;
static zes_dditable_driver_t sysman;
static zet_dditable_driver_t tools;
static zer_dditable_driver_t runtime;

#define POISON ((void *)0x10)

static void object_init(struct fake_object *object, int kind, int id)
{
    object->block = (ze_handle_t){POISON, POISON, POISON, POISON};
    if (FAKE_DDI) {
        object->block = (ze_handle_t){&core, &tools, &sysman, &runtime};
    }
    object->kind = kind;
    object->id = id;
}

static struct fake_object driver_object; /* constant once made, like those of real drivers */
static struct fake_object device_objects[FAKE_DEVICES + 1];
static atomic_bool initialized, sysman_initialized;

static void alive_check(const char *function)
{
    if (fake_driver_state.gone && !FAKE_SURVIVES) {
        dprintf(STDERR_FILENO, "fake driver called after its end: %s\n", function);
        _exit(99);
    }
}

static void objects_make(void)
{
    object_init(&driver_object, 'R', FAKE_ID);
    for (int i = 0; i < FAKE_DEVICES; i++) {
        object_init(&device_objects[i], 'D', i);
    }
}

#if defined(FAKE_REENTRANT) || defined(FAKE_FORKS)
static bool process_initialises(void)
{
    ze_result_t (*init)(ze_init_flags_t) =
        (ze_result_t (*)(ze_init_flags_t))dlsym(RTLD_DEFAULT, "zeInit");
    return init && init(0) == ZE_RESULT_SUCCESS;
}
#endif

#ifdef FAKE_FORKS
/* Or does not end: then it is ended. */
static bool child_initialises(void)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        limit_stall();
        _exit(process_initialises());
    }
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}
#endif

static void pause_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

#if defined(FAKE_STUCK) || defined(FAKE_STUCK_AT_LOAD) || defined(FAKE_STUCK_SYSMAN) ||            \
    defined(FAKE_STUCK_LIST) || defined(FAKE_GATED)
static void stay(void)
{
    char byte;
    const char *gate = getenv("FAKE_GATE_FD");
    bool told = write(atoi(getenv("FAKE_STUCK_FD")), "", 1) == 1;
    while (told && !(gate && read(atoi(gate), &byte, 1) == 1)) {
        if (!gate) {
            pause();
        }
    }
}
#endif

static ze_result_t start(void)
{
    alive_check(__func__);
    fake_driver_state.init_calls++;
    int now = ++fake_driver_state.concurrent;
    if (now > fake_driver_state.worst) {
        fake_driver_state.worst = now;
    }
    ze_result_t result = getenv("FAKE_FAIL_" FAKE_NAME) ? ZE_RESULT_ERROR_DEVICE_LOST
                                                        : (ze_result_t)FAKE_INIT_RESULT;
    if (result == ZE_RESULT_SUCCESS && !initialized) {
        pause_ms(FAKE_INIT_DELAY_MS);
#ifdef FAKE_GATED
        stay();
#endif
        objects_make();
        fake_driver_state.started++;
        initialized = true;
    }
#ifdef FAKE_STUCK
    stay();
#endif
#ifdef FAKE_REENTRANT
    result = process_initialises() ? ZE_RESULT_ERROR_UNKNOWN : result;
#endif
#ifdef FAKE_FORKS
    result = child_initialises() ? ZE_RESULT_ERROR_UNKNOWN : result;
#endif
    fake_driver_state.concurrent--;
    return result;
}

static ze_result_t list(uint32_t *count, void **out, struct fake_object *objects, uint32_t total)
{
    if (*count == 0 || !out) {
        *count = total;
        return ZE_RESULT_SUCCESS;
    }
    *count = *count < total ? *count : total;
    for (uint32_t i = 0; i < *count; i++) {
        out[i] = &objects[i];
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t fake_init(ze_init_flags_t flags)
{
    (void)flags;
    return start();
}

static ze_result_t fake_driver_get(uint32_t *count, ze_driver_handle_t *drivers)
{
    alive_check(__func__);
    return initialized ? list(count, (void **)drivers, &driver_object, 1)
                       : ZE_RESULT_ERROR_UNINITIALIZED;
}

#ifndef FAKE_LEGACY
static ze_result_t fake_init_drivers(uint32_t *count, ze_driver_handle_t *drivers,
                                     ze_init_driver_type_desc_t *desc)
{
    (void)desc;
    ze_result_t result = start();
    return result == ZE_RESULT_SUCCESS ? fake_driver_get(count, drivers) : result;
}
#endif

static ze_result_t fake_api_version(ze_driver_handle_t driver, ze_api_version_t *version)
{
    (void)driver;
    *version = (ze_api_version_t)FAKE_VERSION;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t fake_driver_properties(ze_driver_handle_t driver,
                                          ze_driver_properties_t *properties)
{
    (void)driver;
    properties->driverVersion = 0x01000000 + FAKE_ID;
    memset(&properties->uuid, FAKE_ID, sizeof(properties->uuid));
    ze_base_properties_t *next = (ze_base_properties_t *)properties->pNext;
    for (; next; next = (ze_base_properties_t *)next->pNext) {
        if (next->stype == ZE_STRUCTURE_TYPE_DRIVER_DDI_HANDLES_EXT_PROPERTIES) {
            ((ze_driver_ddi_handles_ext_properties_t *)(void *)next)->flags =
                FAKE_DDI ? ZE_DRIVER_DDI_HANDLE_EXT_FLAG_DDI_HANDLE_EXT_SUPPORTED : 0;
        }
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t fake_function_status(const char *function, uint32_t *implemented)
{
    (void)function;
    *implemented = 1;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t fake_function_address(ze_driver_handle_t driver, const char *name,
                                         void **address)
{
    (void)driver;
#if FAKE_SURVIVES
    if (strcmp(name, "geoidDriverGetFunctionStatus") == 0) {
        *address = (void *)fake_function_status;
        return ZE_RESULT_SUCCESS;
    }
#else
    (void)fake_function_status;
#endif
    (void)name, (void)address;
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

static ze_result_t fake_device_get(ze_driver_handle_t driver, uint32_t *count,
                                   ze_device_handle_t *devices)
{
    (void)driver;
    alive_check(__func__);
    return list(count, (void **)devices, device_objects, FAKE_DEVICES);
}

static ze_result_t fake_device_properties(ze_device_handle_t device,
                                          ze_device_properties_t *properties)
{
    const struct fake_object *object = (const struct fake_object *)device;
    properties->type = FAKE_TYPE;
    properties->flags =
        object->id < FAKE_DEVICES - FAKE_INTEGRATED ? 0 : ZE_DEVICE_PROPERTY_FLAG_INTEGRATED;
    properties->vendorId = FAKE_ID;
    properties->deviceId = (uint32_t)object->id;
    snprintf(properties->name, sizeof(properties->name), "fake %s %d", FAKE_NAME, object->id);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t fake_context_create(ze_driver_handle_t driver, const ze_context_desc_t *desc,
                                       ze_context_handle_t *context)
{
    (void)driver, (void)desc;
    alive_check(__func__);
    struct fake_object *object = calloc(1, sizeof(*object));
    if (!object) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    object_init(object, 'C', FAKE_ID);
    fake_driver_state.contexts++;
    *context = (ze_context_handle_t)object;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t fake_context_destroy(ze_context_handle_t context)
{
    alive_check(__func__);
    struct fake_object *object = (struct fake_object *)context;
    if (!object) {
        return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    }
    if (object->kind != 'C' || object->id != FAKE_ID) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    fake_driver_state.contexts--;
    free(object);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t fake_context_status(ze_context_handle_t context)
{
    alive_check(__func__);
    const struct fake_object *object = (const struct fake_object *)context;
    fake_driver_state.calls++;
    return object->id == FAKE_ID ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

/* Tells which driver a module link went to. */
static ze_result_t fake_module_link(uint32_t count, ze_module_handle_t *modules,
                                    ze_module_build_log_handle_t *log)
{
    (void)count, (void)modules, (void)log;
    return FAKE_ID == 1 ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_MODULE_LINK_FAILURE;
}

static ze_result_t fake_sysman_init(zes_init_flags_t flags)
{
    (void)flags;
    alive_check(__func__);
    fake_driver_state.sysman_calls++;
#ifdef FAKE_STUCK_SYSMAN
    stay();
#endif
    objects_make();
    sysman_initialized = true;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t fake_sysman_driver_get(uint32_t *count, zes_driver_handle_t *drivers)
{
    fake_driver_state.sysman_lists++;
#ifdef FAKE_STUCK_LIST
    stay();
#endif
    return sysman_initialized ? list(count, (void **)drivers, &driver_object, 1)
                              : ZE_RESULT_ERROR_UNINITIALIZED;
}

static ze_result_t fake_sysman_device_get(zes_driver_handle_t driver, uint32_t *count,
                                          zes_device_handle_t *devices)
{
    (void)driver;
    return list(count, (void **)devices, device_objects, FAKE_DEVICES);
}

static ze_context_handle_t fake_default_context(void)
{
    return (ze_context_handle_t)&driver_object;
}

static uint32_t fake_identifier(ze_device_handle_t device)
{
    return device ? (uint32_t)((const struct fake_object *)device)->id : FAKE_NO_DEVICE;
}

static ze_device_handle_t fake_device_of(uint32_t identifier)
{
    const uint32_t count = FAKE_DEVICES;
    return identifier < count ? (ze_device_handle_t)&device_objects[identifier] : NULL;
}

static ze_result_t fake_last_error(const char **text)
{
    *text = FAKE_NAME;
    return ZE_RESULT_SUCCESS;
}

static ze_global_dditable_t ze_global = {
    .pfnInit = fake_init,
#ifndef FAKE_LEGACY
    .pfnInitDrivers = fake_init_drivers,
#endif
};
static ze_driver_dditable_t ze_driver = {
    .pfnGet = fake_driver_get,
    .pfnGetApiVersion = fake_api_version,
    .pfnGetProperties = fake_driver_properties,
    .pfnGetExtensionFunctionAddress = fake_function_address,
};
static ze_device_dditable_t ze_device = {.pfnGet = fake_device_get,
                                         .pfnGetProperties = fake_device_properties};
static ze_context_dditable_t ze_context = {.pfnCreate = fake_context_create,
                                           .pfnDestroy = fake_context_destroy,
                                           .pfnGetStatus = fake_context_status};
static ze_module_dditable_t ze_module = {.pfnDynamicLink = fake_module_link};
static zes_global_dditable_t zes_global = {.pfnInit = fake_sysman_init};
static zes_driver_dditable_t zes_driver = {.pfnGet = fake_sysman_driver_get};
static zes_device_dditable_t zes_device = {.pfnGet = fake_sysman_device_get};
static zer_global_dditable_t zer_global = {
    .pfnGetLastErrorDescription = fake_last_error,
    .pfnTranslateDeviceHandleToIdentifier = fake_identifier,
    .pfnTranslateIdentifierToDeviceHandle = fake_device_of,
    .pfnGetDefaultContext = fake_default_context,
};

static ze_dditable_driver_t core = {
    .version = (ze_api_version_t)FAKE_VERSION,
    .isValidFlag = 1,
    .Global = &ze_global,
    .Driver = &ze_driver,
    .Device = &ze_device,
    .Context = &ze_context,
    .Module = &ze_module,
};
static zes_dditable_driver_t sysman = {.version = (ze_api_version_t)FAKE_VERSION,
                                       .isValidFlag = 1,
                                       .Global = &zes_global,
                                       .Driver = &zes_driver,
                                       .Device = &zes_device};
static zet_dditable_driver_t tools = {.version = (ze_api_version_t)FAKE_VERSION, .isValidFlag = 1};
static zer_dditable_driver_t runtime = {
    .version = (ze_api_version_t)FAKE_VERSION, .isValidFlag = 1, .Global = &zer_global};

/* Fills the part of a table that FAKE_VERSION has: `old_size` bytes before 1.17. */
static ze_result_t give(ze_api_version_t version, void *out, const void *table, size_t size,
                        size_t old_size)
{
    if (ZE_MAJOR_VERSION((uint32_t)version) != 1) {
        return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
    }
#ifdef FAKE_STRICT_VERSION
    if (version > FAKE_VERSION) {
        return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
    }
#endif
    memcpy(out, table, FAKE_VERSION < ZE_MAKE_VERSION(1, 17) ? old_size : size);
    return ZE_RESULT_SUCCESS;
}

#define GETTER(function, type, table, old_size)                                                    \
    EXPORT ze_result_t ZE_APICALL function(ze_api_version_t version, type *out);                   \
    EXPORT ze_result_t ZE_APICALL function(ze_api_version_t version, type *out)                    \
    {                                                                                              \
        return give(version, out, &table, sizeof(table), old_size);                                \
    }

#ifndef FAKE_NO_GLOBAL
GETTER(zeGetGlobalProcAddrTable, ze_global_dditable_t, ze_global, sizeof(void *))
#endif
GETTER(zeGetDriverProcAddrTable, ze_driver_dditable_t, ze_driver,
       offsetof(ze_driver_dditable_t, pfnGetLastErrorDescription))
GETTER(zeGetDeviceProcAddrTable, ze_device_dditable_t, ze_device,
       offsetof(ze_device_dditable_t, pfnGetRootDevice))
GETTER(zeGetContextProcAddrTable, ze_context_dditable_t, ze_context, sizeof(ze_context))
GETTER(zeGetModuleProcAddrTable, ze_module_dditable_t, ze_module, sizeof(ze_module))
#ifndef FAKE_NO_SYSMAN
GETTER(zesGetGlobalProcAddrTable, zes_global_dditable_t, zes_global, sizeof(zes_global))
GETTER(zesGetDriverProcAddrTable, zes_driver_dditable_t, zes_driver, sizeof(zes_driver))
GETTER(zesGetDeviceProcAddrTable, zes_device_dditable_t, zes_device, sizeof(zes_device))
#else
static void *const unused[] __attribute__((used)) = {&zes_global, &zes_driver, &zes_device};
#endif
#ifndef FAKE_NO_RUNTIME
GETTER(zerGetGlobalProcAddrTable, zer_global_dditable_t, zer_global, sizeof(zer_global))
#endif

#ifdef FAKE_STUCK_AT_LOAD
__attribute__((constructor)) static void driver_begin(void)
{
    stay();
}
#endif

__attribute__((destructor)) static void driver_end(void)
{
    fake_driver_state.gone = 1;
}
