/* Query pools and queries. See query.h. */
#include "driver/tools/metric/query.h"

#include "driver/tools/metric/ask.h"
#include "driver/tools/metric/frame.h"

#include <stdlib.h>
#include <string.h>

enum { SLOT_EMPTY, SLOT_STARTED, SLOT_FULL }; /* geo_metric_slot.state */

/* ---- pools ---- */

static void pool_unlink_locked(struct geo_metric_query_pool *pool)
{
    struct geo_metric_query_pool **at = &pool->group->root->pools;
    while (*at && *at != pool) {
        at = &(*at)->next;
    }
    if (*at) {
        *at = pool->next;
    }
}

static void pool_destroy(struct geo_object *object)
{
    struct geo_metric_query_pool *pool = (struct geo_metric_query_pool *)object;
    if (pool->group) {
        geo_metric_root_lock();
        pool_unlink_locked(pool);
        geo_metric_group_release_locked(pool->group);
        geo_metric_root_unlock();
    }
    free(pool->slots);
    free(pool->used);
    geo_object_unref(&pool->context->base);
    free(pool);
}

static struct geo_metric_slot *slot_of(const struct geo_metric_query_pool *pool, uint32_t index)
{
    return (struct geo_metric_slot *)(void *)(pool->slots + index * pool->stride);
}

static ze_result_t pool_fill(struct geo_metric_query_pool *pool,
                             struct geo_metric_group_object *group)
{
    const struct geo_metric_root *root = group->root;
    const size_t bytes =
        sizeof(struct geo_metric_slot) +
        root->ops->query_bytes(root->device->backend_device, group->group, pool->type);
    const size_t alignment = _Alignof(max_align_t);
    pool->stride = (bytes + alignment - 1) / alignment * alignment;
    pool->slots = calloc(pool->count, pool->stride);
    pool->used = calloc(pool->count, sizeof(*pool->used));
    if (!pool->slots || !pool->used) {
        return geo_metric_ask_memory("a metric query pool");
    }
    geo_metric_root_lock();
    geo_metric_group_hold_locked(group);
    pool->group = group;
    pool->next = group->root->pools;
    group->root->pools = pool;
    geo_metric_root_unlock();
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_metric_query_pool_create(struct geo_context *context,
                                         struct geo_metric_group_object *group,
                                         const zet_metric_query_pool_desc_t *desc,
                                         struct geo_metric_query_pool **out)
{
    if (!(group->group->sampling & ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED) ||
        !group->root->ops->query_bytes) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "metric group %s cannot be measured by queries: see its samplingType",
                        group->group->name);
    }
    if (desc->count == 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE, "a metric query pool without queries");
    }
    struct geo_metric_query_pool *pool = calloc(1, sizeof(*pool));
    if (!pool) {
        return geo_metric_ask_memory("a metric query pool");
    }
    geo_object_init(&pool->base, GEO_OBJECT_METRIC_QUERY_POOL, context->base.driver, pool_destroy);
    geo_object_ref(&context->base);
    pool->context = context;
    pool->type = desc->type;
    pool->count = desc->count;
    ze_result_t result = pool_fill(pool, group);
    if (result != ZE_RESULT_SUCCESS) {
        geo_object_close(&pool->base);
        return result;
    }
    *out = pool;
    return ZE_RESULT_SUCCESS;
}

bool geo_metric_query_is_running_locked(const struct geo_metric_root *root)
{
    GEO_ASSERT(geo_metric_root_locked());
    for (const struct geo_metric_query_pool *pool = root->pools; pool; pool = pool->next) {
        for (uint32_t i = 0; i < pool->count; i++) {
            if (atomic_load_explicit(&slot_of(pool, i)->state, memory_order_relaxed) ==
                SLOT_STARTED) {
                return true;
            }
        }
    }
    return false;
}

/* ---- queries ---- */

static void query_destroy(struct geo_object *object)
{
    struct geo_metric_query *query = (struct geo_metric_query *)object;
    geo_object_unref(&query->pool->base);
    free(query);
}

/* Takes an index of the pool. Returns whether it was free. */
static bool index_take(struct geo_metric_query_pool *pool, uint32_t index)
{
    geo_metric_root_lock();
    const bool is_free = !pool->used[index];
    pool->used[index] = true;
    geo_metric_root_unlock();
    return is_free;
}

ze_result_t geo_metric_query_create(struct geo_metric_query_pool *pool, uint32_t index,
                                    struct geo_metric_query **out)
{
    if (index >= pool->count) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "index %u is out of range: the pool has %u metric queries", index,
                        pool->count);
    }
    struct geo_metric_query *query = calloc(1, sizeof(*query));
    if (!query) {
        return geo_metric_ask_memory("a metric query");
    }
    if (!index_take(pool, index)) {
        free(query);
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "index %u of the pool has a metric query already", index);
    }
    geo_object_init(&query->base, GEO_OBJECT_METRIC_QUERY, pool->base.driver, query_destroy);
    geo_object_ref(&pool->base);
    query->pool = pool;
    query->index = index;
    query->slot = slot_of(pool, index);
    geo_metric_query_reset(query);
    *out = query;
    return ZE_RESULT_SUCCESS;
}

void geo_metric_query_close(struct geo_metric_query *query)
{
    geo_metric_root_lock();
    query->pool->used[query->index] = false;
    geo_metric_root_unlock();
    geo_object_close(&query->base);
}

void geo_metric_query_reset(struct geo_metric_query *query)
{
    atomic_store_explicit(&query->slot->state, SLOT_EMPTY, memory_order_release);
}

ze_result_t geo_metric_query_append(struct geo_command_list *list, struct geo_metric_query *query,
                                    enum geo_metric_record what,
                                    const struct geo_append_events *events)
{
    const struct geo_metric_query_pool *pool = query->pool;
    struct geo_append append;
    /* tools measure lists of programs with queries of their own context (PAPI) */
    if (list->device != pool->group->root->device) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the command list and the metric query have different devices");
    }
    GEO_CHECK(geo_append_begin(list, GEO_COMMAND_METRIC, sizeof(struct geo_command_metric), events,
                               &append));
    GEO_CHECK(geo_keep_add(&list->keep, &query->base));
    struct geo_command_metric *command = (struct geo_command_metric *)append.command;
    command->group = pool->group->group;
    command->slot = query->slot;
    command->pool = pool->type;
    command->what = what;
    return geo_append_commit(&append);
}

ze_result_t geo_metric_query_data(const struct geo_metric_query *query, size_t *bytes,
                                  uint8_t *data)
{
    const struct geo_metric_slot *slot = query->slot;
    if (atomic_load_explicit(&slot->state, memory_order_acquire) != SLOT_FULL) {
        return ZE_RESULT_NOT_READY;
    }
    const size_t part = slot->bytes, head = geo_metric_frame_overhead(1);
    const bool is_question = *bytes == 0 || !data, fits = *bytes >= head + part;
    *bytes = is_question || fits ? head + part : 0;
    if (!is_question && fits) {
        memcpy(data + head, slot->data, part);
        geo_metric_frame_write(data, query->pool->group->group->identity, 1, &part);
    }
    return ZE_RESULT_SUCCESS;
}
