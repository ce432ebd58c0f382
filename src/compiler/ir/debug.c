/* Locations, records and the stores of debug information. See debug.h. */
#include "compiler/ir/debug.h"

#include "base/array.h"
#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

static bool store_add(struct geo_ir_debug *debug, struct geo_ir_debug_store *store)
{
    for (size_t i = 0; i < debug->stores.count; i++) {
        if (debug->stores.items[i] == store) {
            return true;
        }
    }
    if (!geo_array_reserve(&debug->stores, 1)) {
        return false;
    }
    debug->stores.items[debug->stores.count++] = store;
    store->references++;
    return true;
}

static void store_drop(struct geo_ir_debug_store *store)
{
    GEO_ASSERT(store->references > 0);
    if (--store->references == 0) {
        geo_arena_finish(&store->arena);
        free(store);
    }
}

struct geo_ir_debug *geo_ir_debug_get(struct geo_ir_module *module)
{
    if (module->debug) {
        return module->debug;
    }
    struct geo_ir_debug *debug = calloc(1, sizeof(*debug));
    struct geo_ir_debug_store *store = debug ? calloc(1, sizeof(*store)) : NULL;
    if (store) {
        geo_arena_init(&store->arena, module->arena.limit_bytes);
        debug->store = store;
    }
    if (!store || !geo_array_reserve(&debug->locations, 1) ||
        !geo_array_reserve(&debug->lists, 1) || !store_add(debug, store)) {
        free(store);
        geo_ir_debug_destroy(debug);
        return NULL;
    }
    debug->locations.items[debug->locations.count++] = NULL;
    debug->lists.items[debug->lists.count++] = (struct geo_ir_record_list){NULL, NULL};
    module->debug = debug;
    return debug;
}

void geo_ir_debug_destroy(struct geo_ir_debug *debug)
{
    if (!debug) {
        return;
    }
    for (size_t i = 0; i < debug->stores.count; i++) {
        store_drop(debug->stores.items[i]);
    }
    geo_array_finish(&debug->stores);
    geo_array_finish(&debug->locations);
    geo_array_finish(&debug->lists);
    free(debug->slots);
    free(debug);
}

bool geo_ir_debug_share(struct geo_ir_module *module, const struct geo_ir_module *other)
{
    struct geo_ir_debug *debug = other->debug ? geo_ir_debug_get(module) : NULL;
    for (size_t i = 0; debug && i < other->debug->stores.count; i++) {
        if (!store_add(debug, other->debug->stores.items[i])) {
            return false;
        }
    }
    if (debug && debug->instances < other->debug->instances) {
        debug->instances = other->debug->instances; /* new numbers differ from those of both */
    }
    return debug || !other->debug;
}

/* ---- locations ---- */

static bool location_equal(const struct geo_ir_location *a, const struct geo_ir_location *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column &&
           a->scope == b->scope && a->inlined_at == b->inlined_at && a->instance == b->instance;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static size_t location_hash(const struct geo_ir_location *location)
{
    uint64_t hash = mix((uint64_t)(uintptr_t)location->file >> 4, location->line);
    hash = mix(hash, (uint64_t)location->column << 32 | location->instance);
    hash = mix(hash, (uint64_t)(uintptr_t)location->scope >> 4);
    return (size_t)mix(hash, location->inlined_at);
}

/* Returns the slot of a location, or the free slot for it. */
static uint32_t *slot_find(const struct geo_ir_debug *debug, const struct geo_ir_location *location)
{
    size_t at = location_hash(location) & (debug->slot_count - 1);
    while (debug->slots[at] &&
           !location_equal(debug->locations.items[debug->slots[at]], location)) {
        at = (at + 1) & (debug->slot_count - 1);
    }
    return &debug->slots[at];
}

static bool slots_reserve(struct geo_ir_debug *debug)
{
    if (2 * (debug->locations.count + 1) <= debug->slot_count) {
        return true;
    }
    size_t count = debug->slot_count ? 2 * debug->slot_count : 64;
    uint32_t *slots = calloc(count, sizeof(*slots));
    if (!slots) {
        return false;
    }
    free(debug->slots);
    debug->slots = slots;
    debug->slot_count = count;
    for (size_t i = 1; i < debug->locations.count; i++) {
        *slot_find(debug, debug->locations.items[i]) = (uint32_t)i;
    }
    return true;
}

uint32_t geo_ir_location_number(struct geo_ir_module *module,
                                const struct geo_ir_location *location)
{
    struct geo_ir_debug *debug = geo_ir_debug_get(module);
    if (!debug || !slots_reserve(debug) || !geo_array_reserve(&debug->locations, 1)) {
        return 0;
    }
    uint32_t *slot = slot_find(debug, location);
    if (!*slot && debug->locations.count < UINT32_MAX) {
        const struct geo_ir_location *made =
            geo_arena_copy(&debug->store->arena, location, sizeof(*location));
        if (!made) {
            return 0;
        }
        *slot = (uint32_t)debug->locations.count;
        debug->locations.items[debug->locations.count++] = made;
    }
    return *slot;
}

uint32_t geo_ir_location_of_call(struct geo_ir_module *module, uint32_t call,
                                 const struct geo_ir_scope *scope)
{
    struct geo_ir_location location = {0};
    if (!call && !scope) {
        return 0;
    }
    if (call) {
        location = *geo_ir_location(module, call);
    } else {
        location.scope = scope;
        location.file = scope->file;
    }
    struct geo_ir_debug *debug = geo_ir_debug_get(module);
    if (!debug) {
        return 0;
    }
    location.instance = ++debug->instances;
    return geo_ir_location_number(module, &location);
}

uint32_t geo_ir_location_inlined(struct geo_ir_module *module, uint32_t number, uint32_t call)
{
    uint32_t chain[GEO_LIMIT_INLINED_DEPTH + 1], count = 0;
    /* the location itself, then the calls that contain it, from the innermost to the outermost */
    for (; number && count <= GEO_LIMIT_INLINED_DEPTH; count++) {
        chain[count] = number;
        number = geo_ir_location(module, number)->inlined_at;
    }
    uint32_t outer = number ? 0 : call;
    while (count > 0) {
        struct geo_ir_location location = *geo_ir_location(module, chain[--count]);
        const struct geo_ir_location *at = geo_ir_location(module, outer);
        bool fits = at && at->depth < GEO_LIMIT_INLINED_DEPTH;
        location.inlined_at = fits ? outer : 0;
        location.depth = fits ? at->depth + 1 : 0;
        outer = geo_ir_location_number(module, &location);
        if (!outer) {
            return 0;
        }
    }
    return outer == call ? 0 : outer;
}

/* ---- records ---- */

static struct geo_ir_debug *debug_of(const struct geo_ir_inst *inst)
{
    return inst->block->function->module->debug;
}

/* Adds a list with one record. Returns its number; 0: no memory. */
static uint32_t list_add(struct geo_ir_debug *debug, const struct geo_ir_record *record)
{
    struct geo_ir_record *copy =
        geo_array_reserve(&debug->lists, 1) && debug->lists.count < UINT32_MAX
            ? geo_arena_copy(&debug->store->arena, record, sizeof(*record))
            : NULL;
    if (!copy) {
        debug->overflowed = true;
        return 0;
    }
    copy->next = NULL;
    debug->lists.items[debug->lists.count] = (struct geo_ir_record_list){copy, copy};
    return (uint32_t)debug->lists.count++;
}

uint32_t geo_ir_records_join(struct geo_ir_debug *debug, uint32_t first, uint32_t second)
{
    if (!first || !second) {
        return first ? first : second;
    }
    struct geo_ir_record_list *list = &debug->lists.items[first];
    struct geo_ir_record_list *behind = &debug->lists.items[second];
    while (list->last && list->last->next) {
        list->last = list->last->next;
    }
    if (list->last) {
        list->last->next = behind->first;
    } else {
        list->first = behind->first;
    }
    list->last = behind->last ? behind->last : list->last;
    *behind = (struct geo_ir_record_list){NULL, NULL};
    return first;
}

uint32_t geo_ir_records_add(struct geo_ir_debug *debug, uint32_t list,
                            const struct geo_ir_record *record)
{
    return geo_ir_records_join(debug, list, list_add(debug, record));
}

void geo_ir_record_add(struct geo_ir_inst *inst, const struct geo_ir_record *record)
{
    struct geo_ir_debug *debug = debug_of(inst);
    inst->records = geo_ir_records_add(debug, inst->records, record);
}

void geo_ir_record_add_first(struct geo_ir_inst *inst, const struct geo_ir_record *record)
{
    struct geo_ir_debug *debug = debug_of(inst);
    inst->records = geo_ir_records_join(debug, list_add(debug, record), inst->records);
}

void geo_ir_record_add_behind(struct geo_ir_debug *debug, struct geo_ir_record *behind,
                              const struct geo_ir_record *record)
{
    struct geo_ir_record *copy = geo_arena_copy(&debug->store->arena, record, sizeof(*record));
    if (!copy) {
        debug->overflowed = true;
        return;
    }
    copy->next = behind->next;
    behind->next = copy;
}

void geo_ir_record_append(struct geo_ir_block *block, const struct geo_ir_record *record)
{
    struct geo_ir_debug *debug = block->function->module->debug;
    block->records = geo_ir_records_add(debug, block->records, record);
}

void geo_ir_records_move(struct geo_ir_inst *from, struct geo_ir_inst *to)
{
    if (from->records) {
        to->records = geo_ir_records_join(debug_of(from), from->records, to->records);
        from->records = 0;
    }
}

void geo_ir_debug_forget(struct geo_ir_module *module)
{
    for (size_t i = 1; module->debug && i < module->debug->lists.count; i++) {
        module->debug->lists.items[i] = (struct geo_ir_record_list){NULL, NULL};
    }
}

bool geo_ir_record_same_variable(const struct geo_ir_module *module, const struct geo_ir_record *a,
                                 const struct geo_ir_record *b)
{
    const struct geo_ir_location *one = geo_ir_location(module, a->location);
    const struct geo_ir_location *other = geo_ir_location(module, b->location);
    return a->variable == b->variable &&
           (one ? one->inlined_at : 0) == (other ? other->inlined_at : 0);
}

bool geo_ir_record_steps(struct geo_ir_module *module, struct geo_ir_record *record,
                         uint32_t skipped, const struct geo_ir_debug_step *steps, uint32_t count)
{
    uint32_t old = record->steps ? record->steps->count : 0;
    GEO_ASSERT(skipped <= old);
    uint32_t total = count + old - skipped;
    struct geo_ir_debug *debug = geo_ir_debug_get(module);
    if (total == 0) {
        record->steps = NULL;
        return true;
    }
    if (!debug || total > GEO_LIMIT_DEBUG_STEPS) {
        return false;
    }
    struct geo_ir_debug_steps *made =
        geo_arena_alloc(&debug->store->arena, sizeof(*made) + total * sizeof(made->items[0]));
    if (!made) {
        debug->overflowed = true;
        return false;
    }
    made->count = total;
    for (uint32_t i = 0; i < count; i++) {
        made->items[i] = steps[i];
    }
    for (uint32_t i = skipped; i < old; i++) {
        made->items[count++] = record->steps->items[i];
    }
    record->steps = made;
    return true;
}
