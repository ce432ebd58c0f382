/* The measured backend: the null backend's devices with the metrics of simulated devices. It is in
 * a driver library of its own (libze_measured.so.1), which is not installed. Device i has the
 * metrics of device i of the description, so both need the same number of sub-devices. Records of
 * metrics run in the null backend's streams.
 *
 * Simulated metrics raise no events. So geoidSimulatedSetTime also raises the notifications that
 * are due. Tests find it by zesDriverGetExtensionFunctionAddress. */
#include "backend/host/device.h"
#include "backend/host/host.h"
#include "backend/metric.h"
#include "backend/null/null.h"
#include "backend/simulated/simulated.h"

#include <pthread.h>
#include <string.h>

#define COLLECTIONS 64

static struct geo_backend_ops measured_ops;
const struct geo_backend_ops *const geo_backends[] = {&measured_ops, NULL};

static const struct geo_metric_ops *sim; /* the operations of simulated devices */
static struct geo_backend *null_backend, *sim_backend;
static struct geo_record_ops record_ops;

/* Open collections with their notifications. */
static struct {
    struct geo_metric_collection *collection;
    struct geo_event_ref notify;
} collections[COLLECTIONS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns the simulated device of one of the null backend's. */
static struct geo_backend_device *simulated(const struct geo_backend_device *device)
{
    const uint32_t index = (uint32_t)(device - null_backend->devices);
    return geo_backend_simulated_ops.device(sim_backend, index);
}

/* ---- operations with a device ---- */

static const struct geo_metric_group *const *groups(struct geo_backend_device *device,
                                                    uint32_t *count)
{
    return sim->groups(simulated(device), count);
}

static const struct geo_metric_programmable *const *programmables(struct geo_backend_device *device,
                                                                  uint32_t *count)
{
    return sim->programmables(simulated(device), count);
}

static ze_result_t enable(struct geo_backend_device *device, bool on, struct geo_strbuf *why)
{
    return sim->enable(simulated(device), on, why);
}

static ze_result_t activate(struct geo_backend_device *device,
                            const struct geo_metric_group *const *active, uint32_t count,
                            struct geo_strbuf *why)
{
    return sim->activate(simulated(device), active, count, why);
}

static ze_result_t timestamps(struct geo_backend_device *device,
                              const struct geo_metric_group *group, bool host, uint64_t *clock,
                              uint64_t *metric_clock)
{
    return sim->timestamps(simulated(device), group, host, clock, metric_clock);
}

static uint32_t query_bytes(struct geo_backend_device *device, const struct geo_metric_group *group,
                            zet_metric_query_pool_type_t pool)
{
    return sim->query_bytes(simulated(device), group, pool);
}

static bool group_accepts(struct geo_backend_device *device,
                          const struct geo_metric *const *metrics, uint32_t count,
                          const struct geo_metric *candidate, struct geo_strbuf *why)
{
    return sim->group_accepts(simulated(device), metrics, count, candidate, why);
}

static ze_result_t group_create(struct geo_backend_device *device, const char *name,
                                const char *description,
                                zet_metric_group_sampling_type_flags_t sampling,
                                const struct geo_metric *const *metrics, uint32_t count,
                                struct geo_metric_group **out, struct geo_strbuf *why)
{
    return sim->group_create(simulated(device), name, description, sampling, metrics, count, out,
                             why);
}

/* ---- collections ---- */

static void collection_replace(const struct geo_metric_collection *from,
                               struct geo_metric_collection *to, struct geo_event_ref notify)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < COLLECTIONS; i++) {
        if (collections[i].collection == from) {
            collections[i].collection = to;
            collections[i].notify = notify;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

static ze_result_t collection_open(struct geo_backend_device *device,
                                   struct geo_metric_collection_desc *desc,
                                   struct geo_metric_collection **out, struct geo_strbuf *why)
{
    ze_result_t result = sim->open(simulated(device), desc, out, why);
    if (result == ZE_RESULT_SUCCESS) {
        collection_replace(NULL, *out, desc->notify);
    }
    return result;
}

static void collection_close(struct geo_metric_collection *collection)
{
    collection_replace(collection, NULL, (struct geo_event_ref){0});
    sim->close(collection);
}

static ze_result_t set_time(uint64_t nanoseconds)
{
    ze_result_t (*set)(uint64_t);
    void *const found = geo_backend_simulated_ops.function("geoidSimulatedSetTime");
    memcpy(&set, &found, sizeof(set));
    ze_result_t result = set(nanoseconds);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < COLLECTIONS; i++) {
        if (collections[i].collection && collections[i].notify.slot &&
            sim_metric_is_due(collections[i].collection)) {
            geo_host_event_ops.signal(null_backend, collections[i].notify);
        }
    }
    pthread_mutex_unlock(&lock);
    return result;
}

/* ---- the backend ---- */

static ze_result_t metric_record(const struct geo_command_metric *command,
                                 const struct geo_runner *runner, struct geo_exec_worker *worker)
{
    (void)runner;
    (void)worker;
    sim_metric_record(command);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t measured_open(struct geo_backend **out)
{
    ze_result_t result = geo_backend_null_ops.open(out);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    null_backend = *out;
    result = geo_backend_simulated_ops.open(&sim_backend);
    if (result != ZE_RESULT_SUCCESS ||
        geo_backend_simulated_ops.device_count(sim_backend) != null_backend->device_count) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    record_ops = *null_backend->devices[0].ops;
    record_ops.metric = metric_record;
    for (uint32_t i = 0; i < null_backend->device_count; i++) {
        null_backend->devices[i].ops = &record_ops;
    }
    return ZE_RESULT_SUCCESS;
}

static void measured_close(struct geo_backend *backend)
{
    geo_backend_null_ops.close(backend);
    geo_backend_simulated_ops.close(sim_backend);
}

static void *measured_function(const char *name)
{
    return strcmp(name, "geoidSimulatedSetTime") == 0 ? (void *)set_time : NULL;
}

__attribute__((constructor)) static void backend_make(void)
{
    static struct geo_metric_ops metric_ops;
    sim = geo_backend_simulated_ops.metric;
    metric_ops = *sim;
    metric_ops.groups = groups;
    metric_ops.programmables = programmables;
    metric_ops.enable = enable;
    metric_ops.activate = activate;
    metric_ops.timestamps = timestamps;
    metric_ops.query_bytes = query_bytes;
    metric_ops.group_accepts = group_accepts;
    metric_ops.group_create = group_create;
    metric_ops.open = collection_open;
    metric_ops.close = collection_close;
    measured_ops = geo_backend_null_ops;
    measured_ops.name = "measured";
    measured_ops.driver_version = GEO_DRIVER_VERSION(4u);
    measured_ops.driver_uuid[ZE_MAX_DRIVER_UUID_SIZE - 1] = 4;
    measured_ops.open = measured_open;
    measured_ops.close = measured_close;
    measured_ops.function = measured_function;
    measured_ops.metric = &metric_ops;
}
