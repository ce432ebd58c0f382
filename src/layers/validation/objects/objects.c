/* Manages the records of objects. See objects.h. */
#include "layers/validation/objects/objects.h"
#include "layers/validation/report/stack.h"

#include <stdlib.h>

_Atomic(struct geo_val_object *) geo_val_roots[1 << GEO_VAL_ROOT_BITS];
atomic_uint geo_val_endings;

struct geo_val_object *geo_val_object_take(unsigned type, const void *handle)
{
    const uint64_t key = geo_val_object_key(type, handle);
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
    _Atomic(struct geo_val_object *) *place = &geo_val_roots[hash >> (64 - GEO_VAL_ROOT_BITS)];
    struct geo_val_object *fresh = NULL;
    hash <<= GEO_VAL_ROOT_BITS;
    for (;;) {
        struct geo_val_object *object = atomic_load_explicit(place, memory_order_acquire);
        if (!object) {
            if (!fresh) {
                fresh = calloc(1, sizeof(*fresh));
                if (!fresh) {
                    return NULL;
                }
                fresh->key = key;
            }
            if (atomic_compare_exchange_strong_explicit(place, &object, fresh, memory_order_acq_rel,
                                                        memory_order_acquire)) {
                return fresh;
            }
        }
        if (object->key == key) {
            free(fresh);
            return object;
        }
        place = &object->below[hash >> 62];
        hash <<= 2;
    }
}

static void each_below(struct geo_val_object *object,
                       void (*visit)(struct geo_val_object *object, void *user), void *user)
{
    if (!object) {
        return;
    }
    visit(object, user);
    for (size_t i = 0; i < 4; i++) { /* NOLINTNEXTLINE(misc-no-recursion): 26 levels at most */
        each_below(atomic_load_explicit(&object->below[i], memory_order_acquire), visit, user);
    }
}

void geo_val_objects_each(void (*visit)(struct geo_val_object *object, void *user), void *user)
{
    for (size_t i = 0; i < sizeof(geo_val_roots) / sizeof(geo_val_roots[0]); i++) {
        each_below(atomic_load_explicit(&geo_val_roots[i], memory_order_acquire), visit, user);
    }
}

/* --- moments in one word: forks, thread, function + 1, so that 0 means none --- */

static void moment_store(_Atomic uint64_t *what, _Atomic uint64_t *when,
                         enum geo_ddi_function_id function)
{
    const struct geo_val_moment now = geo_val_report_now(function);
    atomic_store_explicit(when, now.time_ns, memory_order_relaxed);
    atomic_store_explicit(
        what, (uint64_t)now.forks << 48 | (uint64_t)now.thread << 16 | (now.function + 1u),
        memory_order_relaxed);
}

static struct geo_val_moment moment_load(const _Atomic uint64_t *what, const _Atomic uint64_t *when)
{
    const uint64_t word = atomic_load_explicit(what, memory_order_relaxed);
    const unsigned function = (unsigned)(word & 0xffff);
    return (struct geo_val_moment){
        .function = (uint16_t)(function ? function - 1u : GEO_DDI_FUNCTION_COUNT),
        .forks = (uint16_t)(word >> 48),
        .thread = (uint32_t)(word >> 16),
        .time_ns = atomic_load_explicit(when, memory_order_relaxed)};
}

struct geo_val_history geo_val_object_history(const struct geo_val_object *object)
{
    return (struct geo_val_history){.made = moment_load(&object->made, &object->made_ns),
                                    .ended = moment_load(&object->ended, &object->ended_ns),
                                    .stack =
                                        atomic_load_explicit(&object->stack, memory_order_acquire)};
}

/* --- lifetimes --- */

static void parent_count(struct geo_val_object *object, int change)
{
    struct geo_val_object *parent = atomic_load_explicit(&object->parent, memory_order_acquire);
    if (parent) {
        atomic_fetch_add_explicit(&parent->children, change, memory_order_acq_rel);
    }
}

void geo_val_object_begin(struct geo_val_object *object, const struct geo_val_birth *birth)
{
    const uint64_t before = atomic_load_explicit(&object->life, memory_order_acquire);
    if (geo_val_object_life_state(before) == GEO_VAL_ALIVE) {
        parent_count(object, -1); /* its destruction was not seen */
    }
    atomic_store_explicit(&object->parent, birth->parent, memory_order_release);
    atomic_store_explicit(&object->context, birth->context, memory_order_relaxed);
    atomic_store_explicit(&object->device, birth->device, memory_order_relaxed);
    atomic_store_explicit(&object->children, 0, memory_order_relaxed);
    atomic_store_explicit(&object->lent, birth->lent, memory_order_relaxed);
    atomic_store_explicit(&object->ended, 0, memory_order_relaxed);
    atomic_store_explicit(&object->stack, birth->lent ? NULL : geo_val_stack_take(),
                          memory_order_release);
    moment_store(&object->made, &object->made_ns, birth->function);
    parent_count(object, 1);
    atomic_store_explicit(&object->life, ((before >> 2) + 1) << 2 | GEO_VAL_ALIVE,
                          memory_order_release);
}

bool geo_val_object_ending(struct geo_val_object *object, enum geo_ddi_function_id function,
                           uint64_t *life)
{
    uint64_t before = atomic_load_explicit(&object->life, memory_order_acquire);
    if (geo_val_object_life_state(before) != GEO_VAL_ALIVE) {
        return false;
    }
    *life = (before & ~UINT64_C(3)) | GEO_VAL_ENDING;
    if (!atomic_compare_exchange_strong_explicit(&object->life, &before, *life,
                                                 memory_order_acq_rel, memory_order_acquire)) {
        return false;
    }
    moment_store(&object->ended, &object->ended_ns, function);
    parent_count(object, -1);
    atomic_fetch_add_explicit(&geo_val_endings, 1, memory_order_relaxed);
    return true;
}

void geo_val_object_ended(struct geo_val_object *object, uint64_t life, bool ended)
{
    const uint64_t state = ended ? GEO_VAL_DEAD : GEO_VAL_ALIVE;
    uint64_t expected = life;
    if (!ended) { /* the driver kept the object, so no other lifetime can have started */
        atomic_store_explicit(&object->ended, 0, memory_order_relaxed);
        parent_count(object, 1);
    }
    atomic_compare_exchange_strong_explicit(&object->life, &expected, (life & ~UINT64_C(3)) | state,
                                            memory_order_acq_rel, memory_order_acquire);
}
