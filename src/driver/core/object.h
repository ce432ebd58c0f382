/* The base of every API object, and the conversion between handles and objects.
 *
 *     struct geo_event {
 *         struct geo_object base;   first: a handle is the address of its object
 *         ...
 *     };
 *     GEO_OBJECT_HANDLE(event, GEO_OBJECT_EVENT, ze_event_handle_t)
 *
 *     ze_result_t geo_zeEventQueryStatus(ze_event_handle_t hEvent)
 *     {
 *         struct geo_event *event;
 *         GEO_CHECK(geo_event_from(hEvent, &event));
 *
 * A loader calls through the dispatch block at the start of the object. The tag behind it combines
 * the type with a value of this library in this process, so one comparison rejects a null,
 * destroyed, foreign or mistyped handle. One object serves as ze, zes and zet handle. See
 * docs/decisions/interfaces.md, "A handle is an object's address with a tag behind the dispatch
 * block".
 *
 * Lifetime: geo_object_init gives the application one reference. Its destroy call passes that to
 * geo_object_close, which ends the handle. Whatever needs the object longer (a list its kernels, an
 * event its pool, work in flight) holds a reference of its own. `destroy` runs when the last
 * reference is released. Children reference their parents, so objects may be destroyed in any
 * order. */
#ifndef GEO_DRIVER_CORE_OBJECT_H
#define GEO_DRIVER_CORE_OBJECT_H

#include "base/assert.h"
#include "driver/core/error.h"

#include <level_zero/ze_ddi_common.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct geo_driver;

/* The types of API objects, which are part of their tags. */
enum geo_object_type {
    GEO_OBJECT_DRIVER = 1,
    GEO_OBJECT_DEVICE,
    GEO_OBJECT_CONTEXT,
    GEO_OBJECT_COMMAND_QUEUE,
    GEO_OBJECT_COMMAND_LIST,
    GEO_OBJECT_FENCE,
    GEO_OBJECT_EVENT_POOL,
    GEO_OBJECT_EVENT,
    GEO_OBJECT_MODULE,
    GEO_OBJECT_BUILD_LOG,
    GEO_OBJECT_KERNEL,
    GEO_OBJECT_PHYSICAL_MEMORY,
    GEO_OBJECT_IMAGE,
    GEO_OBJECT_SAMPLER,
    GEO_OBJECT_GRAPH,
    GEO_OBJECT_EXECUTABLE_GRAPH,
    GEO_OBJECT_FABRIC_VERTEX,
    GEO_OBJECT_FABRIC_EDGE,
    GEO_OBJECT_EXTERNAL_SEMAPHORE,
    GEO_OBJECT_RTAS_BUILDER,
    GEO_OBJECT_RTAS_OPERATION,
    /* components of sysman, in the order of their classes (driver/sysman/component.h) */
    GEO_OBJECT_POWER,
    GEO_OBJECT_FREQUENCY,
    GEO_OBJECT_ENGINE,
    GEO_OBJECT_SCHEDULER,
    GEO_OBJECT_FIRMWARE,
    GEO_OBJECT_MEMORY,
    GEO_OBJECT_FABRIC_PORT,
    GEO_OBJECT_TEMPERATURE,
    GEO_OBJECT_PSU,
    GEO_OBJECT_FAN,
    GEO_OBJECT_LED,
    GEO_OBJECT_RAS,
    GEO_OBJECT_DIAGNOSTICS,
    GEO_OBJECT_STANDBY,
    GEO_OBJECT_PERFORMANCE,
    GEO_OBJECT_OVERCLOCK,
    GEO_OBJECT_VIRTUAL_FUNCTION,
    GEO_OBJECT_METRIC_GROUP,
    GEO_OBJECT_METRIC,
    GEO_OBJECT_METRIC_STREAMER,
    GEO_OBJECT_METRIC_QUERY_POOL,
    GEO_OBJECT_METRIC_QUERY,
    GEO_OBJECT_METRIC_TRACER,
    GEO_OBJECT_METRIC_DECODER,
    GEO_OBJECT_METRIC_PROGRAMMABLE,
    GEO_OBJECT_DEBUG_SESSION,
    GEO_OBJECT_TYPE_COUNT,
};

/* The base of every API object; its first member. */
struct geo_object {
    ze_handle_t dispatch;
    uintptr_t tag; /* geo_object_seed + type while the handle is valid */
    _Atomic uint32_t references;
    struct geo_driver *driver; /* never NULL after init */
    void (*destroy)(struct geo_object *object);
};

/* Set when the inventory is opened; see object.c. */
extern _Atomic uintptr_t geo_object_seed;

/* Initialises the base of a zeroed object: dispatch block, valid tag, one reference. */
void geo_object_init(struct geo_object *object, enum geo_object_type type,
                     struct geo_driver *driver, void (*destroy)(struct geo_object *object));

/* Take and release a reference; unref accepts NULL. */
static inline void geo_object_ref(struct geo_object *object)
{
    uint32_t before = atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
    GEO_ASSERT(before > 0 && before < UINT32_MAX);
}
void geo_object_unref(struct geo_object *object);

/* Releases a reference but destroys nothing. Returns true if it was the last: the caller then calls
 * object->destroy, for example after it has released a lock. */
bool geo_object_release(struct geo_object *object) GEO_MUST_CHECK;

/* Ends the handle and releases the application's reference, as the destroy call does. */
void geo_object_close(struct geo_object *object);

/* Records why a handle is rejected and returns the error: UNINITIALIZED before initialisation,
 * INVALID_NULL_HANDLE, or else INVALID_ARGUMENT. */
ze_result_t geo_object_refuse(const void *handle, enum geo_object_type type);

/* Returns SUCCESS if the handle names a live object of this type that this library made. */
static inline ze_result_t geo_object_check(const void *handle, enum geo_object_type type)
{
    const struct geo_object *object = handle;
    uintptr_t address = (uintptr_t)handle;
    if (__builtin_expect(address >= 4096 && address % 8 == 0, 1) &&
        __builtin_expect(object->tag ==
                             atomic_load_explicit(&geo_object_seed, memory_order_relaxed) + type,
                         1)) {
        return ZE_RESULT_SUCCESS;
    }
    return geo_object_refuse(handle, type);
}

/* Defines geo_<name>_from(handle, &object) and geo_<name>_handle(object). */
#define GEO_OBJECT_HANDLE(name, TYPE, handle_type)                                                 \
    _Static_assert(offsetof(struct geo_##name, base) == 0, "a handle is its object's address");    \
    static inline ze_result_t geo_##name##_from(handle_type handle, struct geo_##name **out)       \
    {                                                                                              \
        ze_result_t result = geo_object_check(handle, TYPE);                                       \
        if (result == ZE_RESULT_SUCCESS) {                                                         \
            *out = (struct geo_##name *)(void *)handle;                                            \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    static inline handle_type geo_##name##_handle(struct geo_##name *name)                         \
    {                                                                                              \
        return (handle_type)(void *)name;                                                          \
    }

/* Returns from the function if the expression is an error. Only for the checks at the start of an
 * API function, before it holds anything. */
#define GEO_CHECK(expression)                                                                      \
    do {                                                                                           \
        ze_result_t check_result_ = (expression);                                                  \
        if (__builtin_expect(check_result_ != ZE_RESULT_SUCCESS, 0)) {                             \
            return check_result_;                                                                  \
        }                                                                                          \
    } while (0)

#endif
