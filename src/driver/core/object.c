/* The base of API objects: validity, references and rejection of handles. See object.h. */
#include "driver/core/object.h"

#include "ddi/geo_ddi_driver.h"

/* 0 matches no object, so every handle is rejected before initialisation. Later the value comes
 * from an address in this library, so two driver libraries in one process reject each other's
 * handles. */
_Atomic uintptr_t geo_object_seed;

static const char *const type_names[GEO_OBJECT_TYPE_COUNT] = {
    [GEO_OBJECT_DRIVER] = "driver",
    [GEO_OBJECT_DEVICE] = "device",
    [GEO_OBJECT_CONTEXT] = "context",
    [GEO_OBJECT_COMMAND_QUEUE] = "command queue",
    [GEO_OBJECT_COMMAND_LIST] = "command list",
    [GEO_OBJECT_FENCE] = "fence",
    [GEO_OBJECT_EVENT_POOL] = "event pool",
    [GEO_OBJECT_EVENT] = "event",
    [GEO_OBJECT_MODULE] = "module",
    [GEO_OBJECT_BUILD_LOG] = "module build log",
    [GEO_OBJECT_KERNEL] = "kernel",
    [GEO_OBJECT_PHYSICAL_MEMORY] = "physical memory",
    [GEO_OBJECT_IMAGE] = "image",
    [GEO_OBJECT_SAMPLER] = "sampler",
    [GEO_OBJECT_GRAPH] = "graph",
    [GEO_OBJECT_EXECUTABLE_GRAPH] = "executable graph",
    [GEO_OBJECT_FABRIC_VERTEX] = "fabric vertex",
    [GEO_OBJECT_FABRIC_EDGE] = "fabric edge",
    [GEO_OBJECT_EXTERNAL_SEMAPHORE] = "external semaphore",
    [GEO_OBJECT_RTAS_BUILDER] = "builder of ray tracing structures",
    [GEO_OBJECT_RTAS_OPERATION] = "parallel operation",
    [GEO_OBJECT_POWER] = "power domain",
    [GEO_OBJECT_FREQUENCY] = "frequency domain",
    [GEO_OBJECT_ENGINE] = "engine group",
    [GEO_OBJECT_SCHEDULER] = "scheduler",
    [GEO_OBJECT_FIRMWARE] = "firmware",
    [GEO_OBJECT_MEMORY] = "memory module",
    [GEO_OBJECT_FABRIC_PORT] = "fabric port",
    [GEO_OBJECT_TEMPERATURE] = "temperature sensor",
    [GEO_OBJECT_PSU] = "power supply",
    [GEO_OBJECT_FAN] = "fan",
    [GEO_OBJECT_LED] = "LED",
    [GEO_OBJECT_RAS] = "RAS error set",
    [GEO_OBJECT_DIAGNOSTICS] = "diagnostic test suite",
    [GEO_OBJECT_STANDBY] = "standby domain",
    [GEO_OBJECT_PERFORMANCE] = "performance factor domain",
    [GEO_OBJECT_OVERCLOCK] = "overclock domain",
    [GEO_OBJECT_VIRTUAL_FUNCTION] = "virtual function",
    [GEO_OBJECT_METRIC_GROUP] = "metric group",
    [GEO_OBJECT_METRIC] = "metric",
    [GEO_OBJECT_METRIC_STREAMER] = "metric streamer",
    [GEO_OBJECT_METRIC_QUERY_POOL] = "metric query pool",
    [GEO_OBJECT_METRIC_QUERY] = "metric query",
    [GEO_OBJECT_METRIC_TRACER] = "metric tracer",
    [GEO_OBJECT_METRIC_DECODER] = "metric decoder",
    [GEO_OBJECT_METRIC_PROGRAMMABLE] = "programmable metric",
    [GEO_OBJECT_DEBUG_SESSION] = "debug session",
};

static bool type_is_valid(enum geo_object_type type)
{
    return type > 0 && type < GEO_OBJECT_TYPE_COUNT && type_names[type];
}

void geo_object_init(struct geo_object *object, enum geo_object_type type,
                     struct geo_driver *driver, void (*destroy)(struct geo_object *object))
{
    GEO_ASSERT(type_is_valid(type) && driver && destroy);
    GEO_ASSERT(geo_object_seed != 0);
    GEO_ASSERT(object->tag == 0 && atomic_load(&object->references) == 0);
    geo_api_init_handle(&object->dispatch);
    object->tag = geo_object_seed + type;
    object->driver = driver;
    object->destroy = destroy;
    atomic_init(&object->references, 1);
}

bool geo_object_release(struct geo_object *object)
{
    GEO_ASSERT(atomic_load_explicit(&object->references, memory_order_relaxed) > 0);
    /* the owner of the only reference cannot race with others: an atomic decrement is not needed */
    return atomic_load_explicit(&object->references, memory_order_acquire) == 1 ||
           atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1;
}

void geo_object_unref(struct geo_object *object)
{
    if (object && geo_object_release(object)) {
        object->destroy(object);
    }
}

void geo_object_close(struct geo_object *object)
{
    GEO_ASSERT(object->tag != 0);
    object->tag = 0;
    geo_object_unref(object);
}

ze_result_t geo_object_refuse(const void *handle, enum geo_object_type type)
{
    GEO_ASSERT(type_is_valid(type));
    const char *name = type_names[type];
    if (geo_object_seed == 0) {
        return geo_fail(ZE_RESULT_ERROR_UNINITIALIZED, "a %s handle was used before initialisation",
                        name);
    }
    if (!handle) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_NULL_HANDLE, "%s handle is null", name);
    }
    return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is not a living %s handle of this driver",
                    handle, name);
}
