/* What scenarios with strict drivers begin with. See strict_rig.h. */
#include "strict_rig.h"

#include <dlfcn.h>
#include <stdio.h>

struct strict_state *strict_state_of(const char *name)
{
    char path[4096];
    snprintf(path, sizeof(path), FAKE_FOLDER "/libfake_%s.so", name);
    void *object = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    CHECK(object);
    struct strict_state *state = dlsym(object, "strict_state");
    CHECK(state);
    dlclose(object); /* the loader holds it */
    return state;
}

uint32_t strict_drivers(ze_driver_handle_t *drivers)
{
    uint32_t count = STRICT_DRIVERS;
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDriverGet(&count, drivers), ZE_RESULT_SUCCESS);
    return count;
}

void strict_rig_make(struct strict_rig *rig, ze_driver_handle_t driver)
{
    const ze_context_desc_t context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_command_list_desc_t list = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_event_pool_desc_t pool = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 1};
    const ze_module_desc_t module = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC};
    uint32_t count = 1;
    rig->driver = driver;
    CHECK_RESULT(zeDeviceGet(driver, &count, &rig->device), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeContextCreate(driver, &context, &rig->context), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeCommandListCreate(rig->context, rig->device, &list, &rig->list),
                 ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeEventPoolCreate(rig->context, &pool, 0, NULL, &rig->pool), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeModuleCreate(rig->context, rig->device, &module, &rig->module, NULL),
                 ZE_RESULT_SUCCESS);
}

ze_event_handle_t strict_event(const struct strict_rig *rig)
{
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_handle_t event = NULL;
    CHECK_RESULT(zeEventCreate(rig->pool, &desc, &event), ZE_RESULT_SUCCESS);
    return event;
}

void *strict_own(void *handle)
{
    /* A record begins with the block, then itself, then the driver's handle. */
    void *const *words = handle;
    CHECK(words[4] == handle);
    return words[5];
}
