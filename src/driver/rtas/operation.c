/* Parallel operations: builds that the application's threads run together. See operation.h. */
#include "driver/rtas/operation.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static void operation_destroy(struct geo_object *object)
{
    struct geo_rtas_operation *operation = (struct geo_rtas_operation *)object;
    GEO_ASSERT(operation->joined == 0); /* threads inside hold references */
    if (operation->bound) {
        geo_rtas_build_finish(&operation->build);
    }
    free(operation);
}

ze_result_t geo_rtas_operation_create(struct geo_driver *driver, struct geo_rtas_operation **out)
{
    struct geo_rtas_operation *operation = calloc(1, sizeof(*operation));
    if (!operation) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a parallel operation");
    }
    geo_object_init(&operation->base, GEO_OBJECT_RTAS_OPERATION, driver, operation_destroy);
    *out = operation;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_rtas_operation_bind(struct geo_rtas_operation *operation,
                                    const struct geo_rtas_order *order)
{
    geo_object_lock_acquire(&operation->lock);
    /* The thread that finished the build has released the lock since, so `stage` is up to date. */
    bool busy =
        operation->joined || (operation->bound && operation->build.stage != GEO_RTAS_STAGE_DONE);
    GEO_ASSERT(operation->bound || operation->joined == 0);
    if (!busy) {
        if (operation->bound) {
            geo_rtas_build_finish(&operation->build);
        }
        geo_rtas_build_begin(&operation->build, &order->input, &order->plan, &order->target);
        operation->retry = order->retry;
        operation->bound = true;
    }
    geo_object_lock_release(&operation->lock);
    return busy ? geo_fail(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE,
                           "the parallel operation is used by a build that is not complete")
                : ZE_RESULT_SUCCESS;
}

static ze_result_t refuse_unbound(void)
{
    return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                    "the parallel operation was not passed to a build yet");
}

/* Returns the number of cores that the calling thread may use. */
static uint32_t cores_usable(void)
{
    cpu_set_t set;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (sched_getaffinity(0, sizeof(set), &set) == 0) {
        return (uint32_t)CPU_COUNT(&set);
    }
    return online > 0 ? (uint32_t)online : 1; /* more cores than a cpu_set_t holds */
}

ze_result_t geo_rtas_operation_concurrency(struct geo_rtas_operation *operation, uint32_t *threads)
{
    geo_object_lock_acquire(&operation->lock);
    bool bound = operation->bound;
    uint32_t chunks = bound ? geo_rtas_plan_chunks(operation->build.plan.refs) : 0;
    geo_object_lock_release(&operation->lock);
    if (!bound) {
        return refuse_unbound();
    }
    uint32_t cores = cores_usable();
    chunks = chunks > 0 ? chunks : 1;
    *threads = chunks < cores ? chunks : cores;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_rtas_operation_join(struct geo_rtas_operation *operation)
{
    geo_object_lock_acquire(&operation->lock);
    bool bound = operation->bound;
    operation->joined += bound;
    geo_object_lock_release(&operation->lock);
    if (!bound) {
        return refuse_unbound();
    }
    geo_object_ref(&operation->base);
    geo_rtas_build_join(&operation->build);
    ze_result_t result = geo_rtas_builder_result(&operation->build, operation->retry);
    geo_object_lock_acquire(&operation->lock);
    GEO_ASSERT(operation->joined > 0 && operation->bound);
    operation->joined--;
    geo_object_lock_release(&operation->lock);
    geo_object_unref(&operation->base);
    return result;
}
