/* Records of translated handles: the map that finds them, and their lifetime. See handle.h.
 *
 * The map is divided into shards by a hash of the driver's handle. A shard is a hash table of
 * buckets, each a linked list of records. Readers take no lock. A reader may follow a record that
 * moves to another list, or read a table that has been replaced. Therefore each shard has a
 * sequence counter `turn`, as in a seqlock: it is odd during a removal or move, and has a new even
 * value afterwards. A reader discards its result when the counter was odd or changed. Insertion at
 * the front of a list does not change the counter. Replaced tables are never freed, because
 * readers may use them; together they are smaller than the current table. */
#include "loader/handle/handle_pool.h"

#include "base/assert.h"
#include "base/fork.h"

#include <stdlib.h>

enum { SHARDS = 32, FIRST_BUCKETS = 16 };

struct bucket {
    _Atomic(struct geo_handle *) first;
};

struct table {
    struct table *replaced; /* the previous, smaller table */
    size_t mask;
    struct bucket buckets[];
};

struct shard {
    struct geo_object_lock lock;
    _Atomic(struct table *) table;
    atomic_uint turn; /* sequence counter; odd: a change is in progress */
    size_t count;     /* number of records; protected by the lock */
};

struct geo_translation_parts {
    struct geo_translation translation;
    zet_dditable_driver_t zet;
    zes_dditable_driver_t zes;
    zer_dditable_driver_t zer;
    struct geo_translation_parts *next;
    struct geo_handle_pool pools[GEO_DDI_HANDLE_COUNT];
    struct shard shards[SHARDS];
};

static _Atomic(struct geo_translation_parts *) translations;

/* ---- fork ---- */

/* Applies a lock function to all locks. A child could take these locks over (lock.h), but might
 * find a half-grown table, so a fork takes all of them. */
static void locks_apply(void (*change)(struct geo_object_lock *))
{
    for (struct geo_translation_parts *t = atomic_load(&translations); t; t = t->next) {
        for (size_t i = 0; i < GEO_DDI_HANDLE_COUNT; i++) {
            change(&t->pools[i].lock);
        }
        for (size_t i = 0; i < SHARDS; i++) {
            change(&t->shards[i].lock);
        }
    }
}

static void fork_prepare(void)
{
    locks_apply(geo_object_lock_acquire);
}

static void fork_release(void)
{
    locks_apply(geo_object_lock_release);
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_HANDLES,
    .prepare = fork_prepare,
    .parent = fork_release,
    .child = fork_release,
};

/* ---- a library's translation ---- */

static struct table *table_create(size_t count)
{
    struct table *table = calloc(1, sizeof(*table) + count * sizeof(table->buckets[0]));
    if (table) {
        table->mask = count - 1;
    }
    return table;
}

/* Fills the block at the start of each handle, so that all its tables lead to the translating
 * functions. */
static void tables_point(struct geo_translation_parts *parts,
                         const struct geo_ddi_table_set *functions)
{
    ze_dditable_driver_t *ze = &parts->translation.ze;
    char *const of_api[GEO_DDI_API_COUNT] = {[GEO_DDI_ZE] = (char *)ze,
                                             [GEO_DDI_ZES] = (char *)&parts->zes,
                                             [GEO_DDI_ZET] = (char *)&parts->zet,
                                             [GEO_DDI_ZER] = (char *)&parts->zer};
    for (size_t i = 0; i < GEO_DDI_TABLE_COUNT; i++) {
        const struct geo_ddi_table *info = &geo_ddi_tables[i];
        const void **place = (const void **)(void *)(of_api[info->api] + info->pointer_offset);
        *place = geo_ddi_table_of_const(functions, (enum geo_ddi_table_id)i);
    }
    ze->version = parts->zes.version = ZE_API_VERSION_CURRENT;
    parts->zet.version = parts->zer.version = ZE_API_VERSION_CURRENT;
    ze->isValidFlag = parts->zes.isValidFlag = 1;
    parts->zet.isValidFlag = parts->zer.isValidFlag = 1;
}

static void parts_destroy(struct geo_translation_parts *parts)
{
    for (size_t i = 0; parts && i < SHARDS; i++) {
        free(atomic_load(&parts->shards[i].table));
    }
    free(parts);
}

static bool shards_init(struct geo_translation_parts *parts)
{
    bool complete = true;
    for (size_t i = 0; i < SHARDS; i++) {
        struct table *table = table_create(FIRST_BUCKETS);
        atomic_store(&parts->shards[i].table, table);
        complete &= table != NULL;
    }
    return complete;
}

struct geo_translation *geo_translation_create(const struct geo_ddi_table_set *tables,
                                               const struct geo_ddi_table_set *functions)
{
    struct geo_translation_parts *parts = calloc(1, sizeof(*parts));
    if (!parts || !shards_init(parts)) {
        parts_destroy(parts);
        return NULL;
    }
    GEO_ASSERT((void *)parts == &parts->translation.ze); /* where the blocks of records point to */
    parts->translation.tables = tables;
    parts->translation.parts = parts;
    tables_point(parts, functions);
    geo_fork_register(&fork_handler);
    parts->next = atomic_load(&translations); /* no race: the loader's lock is held */
    atomic_store(&translations, parts);
    return &parts->translation;
}

/* ---- records ---- */

bool geo_handle_is_valid(const struct geo_handle *handle)
{
    if (!handle || handle->self != handle || handle->type >= GEO_DDI_HANDLE_COUNT) {
        return false;
    }
    const struct geo_translation_parts *parts = geo_handle_translation(handle)->parts;
    return &parts->translation == geo_handle_translation(handle) &&
           handle->block.pTools == &parts->zet && handle->block.pSysman == &parts->zes &&
           handle->block.pRuntime == &parts->zer &&
           geo_handle_pool_find(&parts->pools[handle->type], handle) == handle;
}

static struct geo_handle *record_take(struct geo_translation *translation,
                                      enum geo_ddi_handle_id type)
{
    struct geo_translation_parts *parts = translation->parts;
    GEO_ASSERT(type < GEO_DDI_HANDLE_COUNT && &parts->translation == translation);
    const struct geo_handle pattern = {.block = {.pCore = &translation->ze,
                                                 .pTools = &parts->zet,
                                                 .pSysman = &parts->zes,
                                                 .pRuntime = &parts->zer},
                                       .type = (uint16_t)type};
    return geo_handle_pool_take(&parts->pools[type], &pattern);
}

static void record_give(struct geo_handle *handle)
{
    GEO_ASSERT(geo_handle_is_valid(handle));
    geo_handle_pool_give(&geo_handle_translation(handle)->parts->pools[handle->type], handle);
}

struct geo_handle *geo_handle_reserve(struct geo_translation *translation,
                                      enum geo_ddi_handle_id type, size_t count)
{
    struct geo_handle *first = NULL;
    for (size_t i = 0; i < count; i++) {
        struct geo_handle *handle = record_take(translation, type);
        if (!handle) {
            geo_handle_unreserve(first);
            return NULL;
        }
        atomic_store_explicit(&handle->next, first, memory_order_release);
        first = handle;
    }
    return first;
}

void geo_handle_unreserve(struct geo_handle *first)
{
    while (first) {
        struct geo_handle *next = atomic_load_explicit(&first->next, memory_order_relaxed);
        GEO_ASSERT(!geo_handle_driver(first)); /* reserved for no object yet */
        record_give(first);
        first = next;
    }
}

struct geo_handle *geo_handle_find(struct geo_translation *translation, enum geo_ddi_handle_id type,
                                   const void *address)
{
    struct geo_handle *handle = geo_handle_pool_find(&translation->parts->pools[type], address);
    return handle && geo_handle_driver(handle) ? handle : NULL;
}

struct geo_handle *geo_handle_find_any(enum geo_ddi_handle_id type, const void *address)
{
    struct geo_handle *found = NULL;
    for (struct geo_translation_parts *t = atomic_load(&translations); t && !found; t = t->next) {
        found = geo_handle_pool_find(&t->pools[type], address);
    }
    return found;
}

bool geo_handle_any(const struct geo_translation *translation, enum geo_ddi_handle_id type)
{
    return atomic_load_explicit(&translation->parts->pools[type].slabs[0], memory_order_acquire) !=
           NULL;
}

/* ---- the map ---- */

static uint64_t hash_of(const void *driver)
{
    uint64_t hash = (uint64_t)(uintptr_t)driver * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

/* Returns whether the caller may change the shard: it holds the lock, and no change is in progress. */
static bool shard_is_quiet(const struct shard *shard)
{
    return geo_object_lock_held(&shard->lock) && atomic_load(&shard->turn) % 2 == 0;
}

static struct shard *shard_of(struct geo_translation *translation, const void *driver)
{
    return &translation->parts->shards[hash_of(driver) % SHARDS];
}

static struct bucket *bucket_of(struct table *table, const void *driver)
{
    return &table->buckets[(hash_of(driver) / SHARDS) & table->mask];
}

static bool is_of(const struct geo_handle *handle, enum geo_ddi_handle_id type, const void *driver)
{
    return geo_handle_driver(handle) == driver && handle->type == type;
}

/* Searches a shard without the lock. Returns NULL when the record is not found or the shard was
 * changed meanwhile. */
static struct geo_handle *shard_glance(struct shard *shard, enum geo_ddi_handle_id type,
                                       const void *driver)
{
    const unsigned turn = atomic_load_explicit(&shard->turn, memory_order_acquire);
    struct table *table = atomic_load_explicit(&shard->table, memory_order_acquire);
    struct geo_handle *handle =
        atomic_load_explicit(&bucket_of(table, driver)->first, memory_order_acquire);
    while (handle && !is_of(handle, type, driver)) {
        handle = atomic_load_explicit(&handle->next, memory_order_acquire);
        if (atomic_load_explicit(&shard->turn, memory_order_relaxed) != turn) {
            return NULL; /* the list may have changed, so following it may never end */
        }
    }
    const bool quiet =
        turn % 2 == 0 && atomic_load_explicit(&shard->turn, memory_order_relaxed) == turn;
    return quiet && handle && !atomic_load(&handle->leaving) ? handle : NULL;
}

static struct geo_handle *handle_at(const _Atomic(struct geo_handle *) *link)
{
    return atomic_load_explicit(link, memory_order_acquire);
}

/* Called around removals and moves. Readers without the lock see the odd counter before the change,
 * and the change before the next even value. */
static void shard_change_begin(struct shard *shard)
{
    GEO_ASSERT(shard_is_quiet(shard));
    const unsigned turn = atomic_load_explicit(&shard->turn, memory_order_relaxed);
    atomic_store_explicit(&shard->turn, turn + 1, memory_order_relaxed);
}

static void shard_change_end(struct shard *shard)
{
    const unsigned turn = atomic_load_explicit(&shard->turn, memory_order_relaxed);
    GEO_ASSERT(geo_object_lock_held(&shard->lock) && turn % 2 == 1);
    atomic_store_explicit(&shard->turn, turn + 1, memory_order_release);
}

static struct geo_handle *shard_find_locked(struct shard *shard, enum geo_ddi_handle_id type,
                                            const void *driver)
{
    GEO_ASSERT(shard_is_quiet(shard));
    struct geo_handle *handle = handle_at(&bucket_of(atomic_load(&shard->table), driver)->first);
    while (handle && !is_of(handle, type, driver)) {
        handle = handle_at(&handle->next);
    }
    return handle;
}

static void bucket_push(struct bucket *bucket, struct geo_handle *handle)
{
    atomic_store_explicit(&handle->next, handle_at(&bucket->first), memory_order_release);
    atomic_store_explicit(&bucket->first, handle, memory_order_release);
}

/* Doubles the number of buckets. Without memory the lists only become longer. */
static void shard_grow_locked(struct shard *shard)
{
    GEO_ASSERT(shard_is_quiet(shard));
    struct table *old = atomic_load(&shard->table);
    struct table *table = table_create((old->mask + 1) * 2);
    size_t moved = 0;
    if (!table) {
        return;
    }
    table->replaced = old;
    shard_change_begin(shard);
    for (size_t i = 0; i <= old->mask; i++) {
        struct geo_handle *next, *handle = handle_at(&old->buckets[i].first);
        for (; handle; handle = next) {
            next = handle_at(&handle->next);
            bucket_push(bucket_of(table, geo_handle_driver(handle)), handle);
            moved++;
        }
    }
    GEO_ASSERT(moved == shard->count);
    atomic_store_explicit(&shard->table, table, memory_order_release);
    shard_change_end(shard);
}

static void shard_add_locked(struct shard *shard, struct geo_handle *handle, void *driver)
{
    GEO_ASSERT(shard_of(geo_handle_translation(handle), driver) == shard);
    GEO_ASSERT(!handle->listed && !geo_handle_driver(handle));
    GEO_ASSERT(!shard_find_locked(shard, (enum geo_ddi_handle_id)handle->type, driver));
    if (shard->count > atomic_load(&shard->table)->mask * 2) {
        shard_grow_locked(shard);
    }
    atomic_store_explicit(&handle->handle, driver, memory_order_release);
    handle->listed = true;
    shard->count++;
    bucket_push(bucket_of(atomic_load(&shard->table), driver), handle);
}

static void shard_remove_locked(struct shard *shard, struct geo_handle *handle)
{
    GEO_ASSERT(shard_is_quiet(shard) && handle->listed && shard->count);
    struct table *table = atomic_load(&shard->table);
    _Atomic(struct geo_handle *) *link = &bucket_of(table, geo_handle_driver(handle))->first;
    while (handle_at(link) != handle) {
        GEO_ASSERT(handle_at(link)); /* a listed record is in its bucket */
        link = &handle_at(link)->next;
    }
    shard_change_begin(shard);
    atomic_store_explicit(link, handle_at(&handle->next), memory_order_release);
    shard_change_end(shard);
    handle->listed = false;
    shard->count--;
}

/* ---- lifetime ---- */

/* Returns the record for an object: the one in the map, else `reserved`, which is added. The record
 * in the map may belong to an object that no longer exists. If a thread is destroying that object,
 * its record leaves the map and is freed when the driver returns. If the driver destroyed the
 * object by itself, the record is reused. */
static struct geo_handle *shard_settle(struct shard *shard, enum geo_ddi_handle_id type,
                                       void *driver, struct geo_handle *reserved)
{
    geo_object_lock_acquire(&shard->lock);
    struct geo_handle *handle = shard_find_locked(shard, type, driver);
    if (handle && reserved && atomic_load(&handle->leaving)) {
        shard_remove_locked(shard, handle);
        handle = NULL;
    }
    if (!handle && reserved) {
        shard_add_locked(shard, reserved, driver);
        handle = reserved;
    }
    GEO_ASSERT(!handle || (handle->listed && is_of(handle, type, driver)));
    geo_object_lock_release(&shard->lock);
    if (reserved && handle != reserved) {
        record_give(reserved);
    }
    return handle;
}

struct geo_handle *geo_handle_get(struct geo_translation *translation, enum geo_ddi_handle_id type,
                                  void *driver)
{
    GEO_ASSERT(driver && type < GEO_DDI_HANDLE_COUNT);
    struct shard *shard = shard_of(translation, driver);
    struct geo_handle *handle = shard_glance(shard, type, driver);
    return handle ? handle : shard_settle(shard, type, driver, record_take(translation, type));
}

struct geo_handle *geo_handle_made(struct geo_handle *reserved, void *driver)
{
    GEO_ASSERT(geo_handle_is_valid(reserved) && driver);
    const enum geo_ddi_handle_id type = (enum geo_ddi_handle_id)reserved->type;
    struct shard *shard = shard_of(geo_handle_translation(reserved), driver);
    struct geo_handle *handle = shard_settle(shard, type, driver, reserved);
    atomic_store_explicit(&handle->argument_count, 0, memory_order_relaxed);
    return handle;
}

bool geo_handle_leave(struct geo_handle *handle)
{
    GEO_ASSERT(geo_handle_is_valid(handle));
    return !atomic_exchange(&handle->leaving, true);
}

void geo_handle_left(struct geo_handle *handle, bool gone)
{
    GEO_ASSERT(geo_handle_is_valid(handle) && atomic_load(&handle->leaving));
    if (!gone) {
        atomic_store(&handle->leaving, false);
        return;
    }
    struct shard *shard = shard_of(geo_handle_translation(handle), geo_handle_driver(handle));
    geo_object_lock_acquire(&shard->lock);
    if (handle->listed) {
        shard_remove_locked(shard, handle);
    }
    geo_object_lock_release(&shard->lock);
    record_give(handle);
}
