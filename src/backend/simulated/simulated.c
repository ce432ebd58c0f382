/* The backend of simulated devices. See simulated.h, and docs/user/simulated.md for the format. */
#include "backend/simulated/simulated.h"

#include "backend/simulated/file.h"
#include "backend/simulated/metric.h"

#include "base/fork.h"
#include "base/log.h"
#include "base/option.h"

#include <string.h>

struct geo_backend {
    struct sim_file file;
    struct geo_strbuf problem; /* why the list of devices is empty */
};

static struct geo_backend simulated;

/* ---- fork ---- */

/* Stops watching events in the child, where no thread listens. */
static void fork_child(void)
{
    for (uint32_t i = 0; i < simulated.file.count; i++) {
        if (simulated.file.devices[i].sysman) {
            sim_watch_end(simulated.file.devices[i].sysman);
        }
    }
    sim_unlock();
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_SIMULATED,
    .prepare = sim_lock,
    .parent = sim_unlock,
    .child = fork_child,
};

/* ---- functions by name ---- */

/* Wakes the listener of a device that has an event to report. */
static void device_wake(struct geo_backend_device *device)
{
    struct geo_sysman_watch watch = {.fd = -1};
    sim_lock();
    if (device->sysman && sim_watch_is_due(device->sysman)) {
        watch = device->sysman->watch;
    }
    sim_unlock();
    if (watch.wake) {
        watch.wake(watch.context);
    }
}

/* Sets the simulated time (geoid/simulated.h). */
static ze_result_t set_time(uint64_t nanoseconds)
{
    ze_result_t result = ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    sim_lock();
    if (simulated.file.count && sim_clock_is_manual()) {
        result =
            sim_clock_set_ns(nanoseconds) ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    sim_unlock();
    for (uint32_t i = 0; result == ZE_RESULT_SUCCESS && i < simulated.file.count; i++) {
        device_wake(&simulated.file.devices[i]);
    }
    return result;
}

static void *simulated_function(const char *name)
{
    return strcmp(name, "geoidSimulatedSetTime") == 0 ? (void *)set_time : NULL;
}

/* ---- the backend ---- */

static void simulated_close(struct geo_backend *backend)
{
    sim_metrics_list(NULL, 0);
    sim_file_finish(&backend->file);
}

/* Returns the path of the description, or NULL. */
static const char *description(void)
{
    const char *path = geo_option_string("GEOID_SIMULATED");
    return path && path[0] ? path : NULL;
}

static bool simulated_alone(void)
{
    return description() && geo_option_flag("GEOID_SIMULATED_ONLY");
}

static ze_result_t simulated_open(struct geo_backend **out)
{
    const char *path = description();
    *out = &simulated;
    if (!path) {
        return ZE_RESULT_SUCCESS;
    }
    geo_strbuf_finish(&simulated.problem);
    geo_strbuf_init(&simulated.problem, 1024);
    simulated.problem.shown = true;
    if (!sim_file_read(path, &simulated.file, &simulated.problem)) {
        const bool wrong = simulated.problem.length != 0;
        sim_file_finish(&simulated.file);
        if (wrong) {
            geo_log("simulated", GEO_LOG_ERROR, "%s", geo_strbuf_text(&simulated.problem));
        }
        return wrong ? ZE_RESULT_ERROR_INVALID_ARGUMENT : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    geo_fork_register(&fork_handler);
    sim_clock_start(simulated.file.manual);
    sim_metrics_list(simulated.file.devices, simulated.file.count);
    return ZE_RESULT_SUCCESS;
}

static const char *simulated_problem(void)
{
    return simulated.problem.length ? geo_strbuf_text(&simulated.problem) : NULL;
}

static uint32_t simulated_device_count(struct geo_backend *backend)
{
    return backend->file.count;
}

static struct geo_backend_device *simulated_device(struct geo_backend *backend, uint32_t index)
{
    return &backend->file.devices[index];
}

static const struct geo_device_info *simulated_device_info(struct geo_backend_device *device)
{
    return &device->info;
}

const struct geo_backend_ops geo_backend_simulated_ops = {
    .name = "simulated",
    .driver_uuid = {'G', 'e', 'o', 'i', 'd', ' ', 's', 'i', 'm', 'u', 'l', 'a', 't', 'e', 'd', 1},
    .driver_version = GEO_DRIVER_VERSION(3u),
    .open = simulated_open,
    .close = simulated_close,
    .device_count = simulated_device_count,
    .device = simulated_device,
    .device_info = simulated_device_info,
    .alone = simulated_alone,
    .problem = simulated_problem,
    .function = simulated_function,
    .sysman = &sim_sysman_ops,
    .metric = &sim_metric_ops,
};
