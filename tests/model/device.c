/* The driver that programs run on. See run.h. */
#include "run.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DRIVERS_MAX 8
#define LONG_BITS   50 /* nanoseconds for two weeks */

static _Noreturn void give_up(const char *what, unsigned result)
{
    fprintf(stderr, "%s: 0x%x\n", what, result);
    _exit(EXIT_SETUP);
}

static void kernels_read(struct device *device)
{
    char path[4096];
    const char *folder = getenv("GEOID_BUILD_DIR");
    snprintf(path, sizeof(path), "%s/tests/model/kernels.o", folder ? folder : "build");
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        give_up(path, 0);
    }
    device->module_bytes = (size_t)ftell(file);
    device->module = malloc(device->module_bytes);
    rewind(file);
    if (!device->module ||
        fread(device->module, 1, device->module_bytes, file) != device->module_bytes) {
        give_up(path, 0);
    }
    fclose(file);
}

static void groups_find(struct device *device)
{
    ze_command_queue_group_properties_t groups[8];
    uint32_t count = 8;
    memset(groups, 0, sizeof(groups));
    for (uint32_t i = 0; i < 8; i++) {
        groups[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
    }
    zeDeviceGetCommandQueueGroupProperties(device->device, &count, groups);
    for (uint32_t i = count; i-- > 0;) {
        if (groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) {
            device->compute = i;
        }
    }
    device->copy = device->compute;
    for (uint32_t i = 0; i < count; i++) {
        if (!(groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE)) {
            device->copy = i;
        }
    }
}

static bool driver_try(struct device *device, ze_driver_handle_t driver, bool null)
{
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    uint32_t count = 1;
    if (zeDeviceGet(driver, &count, &device->device) != ZE_RESULT_SUCCESS || count == 0 ||
        zeDeviceGetProperties(device->device, &properties) != ZE_RESULT_SUCCESS) {
        return false;
    }
    device->driver = driver;
    device->executes = !strstr(properties.name, "Geoid null");
    device->long_timestamps = properties.kernelTimestampValidBits >= LONG_BITS;
    return device->executes != null;
}

/* One command on each group has run: so there are workers, whatever fails later. What may happen in
 * a process that can start no thread at all is another matter (src/exec/README.md). */
static void workers_start(struct device *device)
{
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .ordinal = device->compute,
                                     .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    ze_result_t result = zeContextCreate(device->driver, &desc, &context);
    if (result == ZE_RESULT_SUCCESS) {
        result = zeCommandListCreateImmediate(context, device->device, &queue, &list);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = zeCommandListAppendBarrier(list, NULL, 0, NULL);
    }
    while (result == ZE_RESULT_SUCCESS &&
           zeCommandListHostSynchronize(list, 0) == ZE_RESULT_NOT_READY) {
        sched_yield();
    }
    if (result != ZE_RESULT_SUCCESS || zeCommandListDestroy(list) != ZE_RESULT_SUCCESS ||
        zeContextDestroy(context) != ZE_RESULT_SUCCESS) {
        give_up("the first command", (unsigned)result);
    }
}

void device_open(struct device *device, const char *name, struct report *report)
{
    ze_init_driver_type_desc_t types = {ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC, NULL, UINT32_MAX};
    ze_driver_handle_t drivers[DRIVERS_MAX];
    uint32_t count = DRIVERS_MAX, i = 0;
    *device = (struct device){.report = report};
    ze_result_t result = zeInitDrivers(&count, drivers, &types);
    if (result != ZE_RESULT_SUCCESS) {
        give_up("zeInitDrivers", (unsigned)result);
    }
    while (i < count && !driver_try(device, drivers[i], strcmp(name, "null") == 0)) {
        i++;
    }
    if (i == count) {
        give_up(name, 0);
    }
    kernels_read(device);
    groups_find(device);
    workers_start(device);
}
