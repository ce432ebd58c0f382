/* Fills the inventory. See inventory.h.
 *
 * At exit nothing happens: nothing is freed, joined or waited for, and calls work until the process
 * has ended. Exit handlers of programs and libraries still use the driver, in an unknown order, and
 * other threads may be inside. Rejecting calls is up to the loader, which knows when the last user
 * has gone. The library is linked with -z nodelete, so dlclose never unmaps code that a thread is
 * executing.
 *
 * Handles of the parent stay valid in the child of a fork. Every room that has locks takes them
 * before fork, so that the child finds consistent structures (base/fork.h). The inventory takes the
 * locks of the devices, but not its own. A loader calls zeInit while it holds a lock that it also
 * takes before fork, but after ours: a deadlock would be possible. The inventory's lock protects
 * nothing once the inventory is ready, so the child gets a new one. */
#include "driver/core/inventory.h"

#include "base/fork.h"
#include "base/lock.h"
#include "base/option.h"
#include "driver/core/check.h"
#include "driver/core/fabric.h"
#include "driver/core/hierarchy.h"

#include <stdlib.h>
#include <string.h>

static struct {
    pthread_mutex_t lock; /* held while filling; first in the lock order */
    _Atomic bool ready;
    struct geo_driver *drivers; /* [one per backend]; never moved */
    _Atomic uint32_t count;     /* complete drivers */
    uint32_t listed_count;      /* drivers that the core API lists; they come first */
    bool instruments;           /* ZET_ENABLE_PROGRAM_INSTRUMENTATION=1 at initialisation */
    _Atomic bool managed_ready; /* the backends that only manage devices were opened */
} inventory = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Does nothing: drivers and devices are never freed, because their handles may still be used. */
static void global_destroy(struct geo_object *object)
{
    (void)object;
}

static ze_device_type_t reported_type(const struct geo_device_info *info)
{
    const char *wanted = geo_option_string("GEOID_DEVICE_TYPE");
    bool keep = info->type != ZE_DEVICE_TYPE_CPU || (wanted && strcmp(wanted, "cpu") == 0);
    return keep ? info->type : ZE_DEVICE_TYPE_GPU;
}

/* Returns the vendor to report. GEOID_DEVICE_VENDOR_ID applies only to the machine's processor;
 * GPUs and simulated devices keep their vendors. */
static uint32_t reported_vendor(const struct geo_driver *driver, const struct geo_device_info *info)
{
    const uint64_t wanted = geo_option_number("GEOID_DEVICE_VENDOR_ID", 0, UINT16_MAX);
    const bool processor = info->type == ZE_DEVICE_TYPE_CPU && driver->ops->stream;
    return processor && wanted != 0 ? (uint32_t)wanted : info->vendor_id;
}

static void device_init(struct geo_device *device, struct geo_driver *driver, uint32_t index)
{
    geo_object_init(&device->base, GEO_OBJECT_DEVICE, driver, global_destroy);
    geo_object_init(&device->vertex.base, GEO_OBJECT_FABRIC_VERTEX, driver, global_destroy);
    device->vertex.device = device;
    device->backend_device = driver->ops->device(driver->backend, index);
    device->info = driver->ops->device_info(device->backend_device);
    GEO_ASSERT(device->backend_device && device->info);
    device->type = reported_type(device->info);
    device->vendor_id = reported_vendor(driver, device->info);
    pthread_mutex_init(&device->stream_lock, NULL);
}

/* Initialises the devices. Each root device comes before its parts. */
static void devices_init(struct geo_driver *driver)
{
    struct geo_device *card = NULL;
    for (uint32_t i = 0; i < driver->device_count; i++) {
        struct geo_device *device = &driver->devices[i];
        device_init(device, driver, i);
        if (!device->info->parent) {
            device->index = card ? card->index + 1 : 0;
            card = device;
            card->parts = device + 1;
        } else {
            GEO_ASSERT(card && device->info->parent == card->backend_device);
            device->index = card->index;
            device->part = card->part_count++;
        }
        device->card = card;
    }
}

/* Returns whether every root device is followed by its parts: none, or at least two. */
static bool devices_are_valid(const struct geo_driver *driver)
{
    uint32_t i = 0;
    while (i < driver->device_count) {
        const struct geo_device *card = &driver->devices[i++];
        if (card->card != card || card->part_count == 1 ||
            card->part_count > driver->device_count - i) {
            return false;
        }
        for (uint32_t k = 0; k < card->part_count; k++, i++) {
            const struct geo_device *part = &driver->devices[i];
            if (part->card != card || part->part != k || part != &card->parts[k]) {
                return false;
            }
        }
    }
    return true;
}

/* Returns the backend whose devices alone are wanted, or NULL if all backends are. */
static const struct geo_backend_ops *only_backend(void)
{
    for (uint32_t i = 0; geo_backends[i]; i++) {
        if (geo_backends[i]->alone && geo_backends[i]->alone()) {
            return geo_backends[i];
        }
    }
    return NULL;
}

/* Returns whether the backend is opened: among those that the core API lists, or among those that
 * only manage their devices. */
static bool backend_is_wanted(const struct geo_backend_ops *ops, bool listed)
{
    const struct geo_backend_ops *only = only_backend();
    return only ? listed && ops == only : (ops->stream != NULL) == listed;
}

/* Chooses the devices that a driver lists, by ZE_FLAT_DEVICE_HIERARCHY and ZE_AFFINITY_MASK. */
static bool driver_show(struct geo_driver *driver)
{
    enum geo_hierarchy mode =
        geo_hierarchy_parse(geo_option_environment("ZE_FLAT_DEVICE_HIERARCHY"));
    const char *mask = geo_option_environment("ZE_AFFINITY_MASK");
    /* the variables apply only to drivers that the core API lists */
    if (!backend_is_wanted(driver->ops, true)) {
        return geo_hierarchy_apply(driver, GEO_HIERARCHY_COMPOSITE, NULL);
    }
    return geo_hierarchy_apply(driver, mode, mask) &&
           (!driver->ops->stream || geo_fabric_build(driver));
}

static void driver_finish(struct geo_driver *driver)
{
    free(driver->edges);
    free(driver->subs);
    free(driver->tops);
    free(driver->visible);
    free(driver->hidden);
    free(driver->devices);
    if (driver->backend) {
        driver->ops->close(driver->backend);
    }
    memset(driver, 0, sizeof(*driver));
}

/* Opens a backend. Returns UNINITIALIZED if it has no devices here. */
static ze_result_t driver_init(struct geo_driver *driver, const struct geo_backend_ops *ops)
{
    driver->ops = ops;
    ze_result_t result = ops->open(&driver->backend);
    if (result != ZE_RESULT_SUCCESS) {
        const char *problem = ops->problem ? ops->problem() : NULL;
        /* UNINITIALIZED without a problem only means that the backend has no devices here */
        if (problem || result != ZE_RESULT_ERROR_UNINITIALIZED) {
            geo_fail(result, "backend %s did not open%s%s", ops->name, problem ? ": " : "",
                     problem ? problem : "");
        }
        driver->backend = NULL;
        return result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY ? result
                                                            : ZE_RESULT_ERROR_UNINITIALIZED;
    }
    driver->device_count = ops->device_count(driver->backend);
    if (driver->device_count == 0) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    driver->devices = calloc(driver->device_count, sizeof(struct geo_device));
    if (!driver->devices) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for the devices");
    }
    geo_object_init(&driver->base, GEO_OBJECT_DRIVER, driver, global_destroy);
    devices_init(driver);
    GEO_ASSERT(devices_are_valid(driver));
    return driver_show(driver)
               ? ZE_RESULT_SUCCESS
               : geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for the devices");
}

/* Drivers whose devices were locked before fork; drivers added meanwhile are left out. */
static uint32_t fork_locked;

static void fork_prepare(void)
{
    fork_locked = inventory.count;
    for (uint32_t i = 0; i < fork_locked; i++) {
        struct geo_driver *driver = &inventory.drivers[i];
        for (uint32_t k = 0; k < driver->device_count; k++) {
            pthread_mutex_lock(&driver->devices[k].stream_lock);
        }
    }
}

static void fork_parent(void)
{
    GEO_ASSERT(fork_locked <= inventory.count);
    for (uint32_t i = fork_locked; i-- > 0;) {
        struct geo_driver *driver = &inventory.drivers[i];
        for (uint32_t k = driver->device_count; k-- > 0;) {
            pthread_mutex_unlock(&driver->devices[k].stream_lock);
        }
    }
}

static void fork_child(void)
{
    fork_parent();
    pthread_mutex_init(&inventory.lock, NULL);
}

/* Registered once the inventory has the listed drivers, which do not change any more. */
static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_INVENTORY,
    .prepare = fork_prepare,
    .parent = fork_parent,
    .child = fork_child,
};

static void inventory_empty(void)
{
    while (inventory.count > 0) {
        driver_finish(&inventory.drivers[--inventory.count]);
    }
    free(inventory.drivers);
    inventory.drivers = NULL;
    geo_object_seed = 0;
}

static bool is_open(const struct geo_backend_ops *ops)
{
    for (uint32_t i = 0; i < inventory.count; i++) {
        if (inventory.drivers[i].ops == ops) {
            return true;
        }
    }
    return false;
}

/* Opens the backends that the core API lists, or the others. If memory is short for one of them,
 * the whole call fails: the list must not change later. Backends that were opened stay open for the
 * next attempt. */
static ze_result_t backends_open(bool listed)
{
    GEO_ASSERT(geo_mutex_held(&inventory.lock));
    for (uint32_t i = 0; geo_backends[i]; i++) {
        struct geo_driver *driver = &inventory.drivers[inventory.count];
        if (!backend_is_wanted(geo_backends[i], listed) || is_open(geo_backends[i])) {
            continue;
        }
        memset(driver, 0, sizeof(*driver)); /* at fork the parent may have been filling it */
        ze_result_t result = driver_init(driver, geo_backends[i]);
        if (result == ZE_RESULT_SUCCESS) {
            inventory.count++;
            continue;
        }
        driver_finish(driver);
        if (result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY) {
            return result;
        }
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t inventory_fill(void)
{
    uint32_t count = 0;
    GEO_ASSERT(geo_mutex_held(&inventory.lock) && !inventory.drivers && inventory.count == 0);
    while (geo_backends[count]) {
        count++;
    }
    inventory.drivers = calloc(count + 1u, sizeof(struct geo_driver));
    if (!inventory.drivers) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for the drivers");
    }
    geo_object_seed = (uintptr_t)&geo_object_seed | 1;
    ze_result_t result = backends_open(true);
    if (result != ZE_RESULT_SUCCESS) {
        inventory_empty();
        return result;
    }
    if (inventory.count == 0) {
        inventory_empty();
        return geo_fail(ZE_RESULT_ERROR_UNINITIALIZED, "no backend of this library has a device");
    }
    inventory.listed_count = inventory.count;
    const char *instruments = geo_option_environment("ZET_ENABLE_PROGRAM_INSTRUMENTATION");
    inventory.instruments = instruments && strcmp(instruments, "1") == 0;
    geo_fork_register(&fork_handler);
    return ZE_RESULT_SUCCESS;
}

/* Fills the listed or the managed drivers, unless *ready says that this is done. */
static ze_result_t open_once(_Atomic bool *ready, bool listed)
{
    if (atomic_load_explicit(ready, memory_order_acquire)) {
        return ZE_RESULT_SUCCESS;
    }
    pthread_mutex_lock(&inventory.lock);
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (!*ready) {
        result = listed ? inventory_fill() : backends_open(false);
        if (result == ZE_RESULT_SUCCESS) {
            atomic_store_explicit(ready, true, memory_order_release);
        }
    }
    pthread_mutex_unlock(&inventory.lock);
    return result;
}

ze_result_t geo_inventory_open(void)
{
    return open_once(&inventory.ready, true);
}

ze_result_t geo_inventory_open_managed(void)
{
    GEO_CHECK(geo_inventory_open());
    return open_once(&inventory.managed_ready, false);
}

uint32_t geo_inventory_count(void)
{
    return geo_inventory_ready() ? inventory.count : 0;
}

uint32_t geo_inventory_listed_count(void)
{
    return geo_inventory_ready() ? inventory.listed_count : 0;
}

struct geo_driver *geo_inventory_driver(uint32_t index)
{
    GEO_ASSERT(index < inventory.count);
    return &inventory.drivers[index];
}

bool geo_inventory_ready(void)
{
    return atomic_load_explicit(&inventory.ready, memory_order_acquire);
}

bool geo_inventory_instruments(void)
{
    return geo_inventory_ready() && inventory.instruments;
}

bool geo_inventory_has_type(const struct geo_driver *driver, uint32_t type_bits)
{
    for (uint32_t i = 0; i < driver->device_count; i++) {
        if (type_bits & (1u << driver->devices[i].type)) {
            return true;
        }
    }
    return false;
}

static ze_result_t drivers_list(uint32_t number, uint32_t types, uint32_t *count,
                                ze_driver_handle_t *handles)
{
    uint32_t available = 0;
    for (uint32_t i = 0; i < number; i++) {
        available += geo_inventory_has_type(geo_inventory_driver(i), types);
    }
    GEO_ASSERT(available <= number);
    uint32_t wanted = geo_count_protocol(count, available, handles);
    for (uint32_t i = 0, at = 0; i < number && at < wanted; i++) {
        struct geo_driver *driver = geo_inventory_driver(i);
        if (geo_inventory_has_type(driver, types)) {
            handles[at++] = geo_driver_handle(driver);
        }
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_inventory_list(uint32_t types, uint32_t *count, ze_driver_handle_t *handles)
{
    return drivers_list(geo_inventory_listed_count(), types, count, handles);
}

ze_result_t geo_inventory_list_all(uint32_t *count, ze_driver_handle_t *handles)
{
    return drivers_list(geo_inventory_count(), ~0u, count, handles);
}

ze_result_t geo_inventory_check_runs(const struct geo_driver *driver)
{
    return driver->ops->stream
               ? ZE_RESULT_SUCCESS
               : geo_fail(
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                     "the devices of driver %s can only be managed by sysman: they cannot run work",
                     driver->ops->name);
}

ze_result_t geo_inventory_running_device(ze_device_handle_t handle, struct geo_device **out)
{
    GEO_CHECK(geo_device_from(handle, out));
    return geo_inventory_check_runs((*out)->base.driver);
}
