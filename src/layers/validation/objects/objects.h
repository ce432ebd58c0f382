/* The objects whose handles the application has: a table from handle and type to a record.
 *
 *     hash of (handle, type)   0110 1011 0010 | 01 | 11 | 00 ...
 *                                root 0x6b2     |    |    |
 *                                     v         v    v    v         each node has four children
 *                                  record --[1]--> record --[3]--> record
 *
 * Look-ups take no lock and write nothing. A record is added with one compare-and-exchange, and
 * never moves or is freed, so pointers to it stay valid. When an object is destroyed, its record
 * stays and keeps the history. When the driver reuses the handle, the record starts its next
 * lifetime. So there is one record for each value that the driver ever used as a handle. The hash
 * is one-to-one, so two paths differ after at most 64 bits.
 *
 * A lifetime is a number and a state in one word. Ending or restoring a lifetime compares that
 * word. This matters because the driver may destroy an object and give its handle to another
 * thread, before the first thread records the destruction. The new lifetime then stays
 * unchanged. */
#ifndef GEO_LAYERS_VALIDATION_OBJECTS_H
#define GEO_LAYERS_VALIDATION_OBJECTS_H

#include "layers/validation/validation.h"

enum geo_val_state {
    GEO_VAL_NEVER, /* no lifetime yet: the record is being created */
    GEO_VAL_ALIVE,
    GEO_VAL_ENDING, /* a call that destroys it is in progress */
    GEO_VAL_DEAD,
};

struct geo_val_object {
    _Atomic(struct geo_val_object *) below[4];
    uint64_t key;              /* handle and type; never changes */
    _Atomic uint64_t life;     /* number << 2 | enum geo_val_state */
    _Atomic uintptr_t context; /* handle of its context; 0: none */
    _Atomic uintptr_t device;  /* handle of the only device that it was created for; 0: none */
    /* The object that it was created from, which must be destroyed after it; or NULL. */
    _Atomic(struct geo_val_object *) parent;
    atomic_int children; /* number of live objects created from it */
    /* The call with exclusive use of the object: thread << 16 | function; 0: none. */
    _Atomic uint64_t holder;
    atomic_uint users; /* number of calls in progress that share it */
    atomic_bool lent;  /* looked up, not created: the application need not destroy it */
    _Atomic uint64_t made, made_ns, ended, ended_ns; /* see geo_val_object_history */
    _Atomic(const struct geo_val_stack *) stack;
    _Atomic(void *) data; /* owned by the part that handles the type */
};

static inline enum geo_val_state geo_val_object_life_state(uint64_t life)
{
    return (enum geo_val_state)(life & 3);
}

static inline bool geo_val_object_alive(const struct geo_val_object *object)
{
    return geo_val_object_life_state(atomic_load_explicit(&object->life, memory_order_acquire)) ==
           GEO_VAL_ALIVE;
}

static inline void *geo_val_object_handle(const struct geo_val_object *object)
{
    return (void *)(uintptr_t)(object->key & ~(UINT64_C(0xff) << 56));
}

static inline unsigned geo_val_object_type(const struct geo_val_object *object)
{
    return (unsigned)(object->key >> 56); /* geo_ddi_handles */
}

/* --- the table --- */

enum { GEO_VAL_ROOT_BITS = 12 };

extern _Atomic(struct geo_val_object *) geo_val_roots[1 << GEO_VAL_ROOT_BITS];

static inline uint64_t geo_val_object_key(unsigned type, const void *handle)
{
    return (uint64_t)(uintptr_t)handle ^ (uint64_t)type << 56;
}

/* Returns the record of a handle, or NULL when the handle was never known. */
static inline struct geo_val_object *geo_val_object_find(unsigned type, const void *handle)
{
    const uint64_t key = geo_val_object_key(type, handle);
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
    struct geo_val_object *object = atomic_load_explicit(
        &geo_val_roots[hash >> (64 - GEO_VAL_ROOT_BITS)], memory_order_acquire);
    for (hash <<= GEO_VAL_ROOT_BITS; object && object->key != key; hash <<= 2) {
        object = atomic_load_explicit(&object->below[hash >> 62], memory_order_acquire);
    }
    return object;
}

/* Returns the record of a handle, and creates it if needed. Returns NULL when memory ran out. */
struct geo_val_object *geo_val_object_take(unsigned type, const void *handle);

/* Visits all records. */
void geo_val_objects_each(void (*visit)(struct geo_val_object *object, void *user), void *user);

/* --- lifetimes --- */

struct geo_val_birth {
    enum geo_ddi_function_id function; /* GEO_DDI_FUNCTION_COUNT: creation not seen by the layer */
    struct geo_val_object *parent;     /* or NULL */
    uintptr_t context, device;         /* or 0 */
    bool lent;
};

/* Starts a lifetime, whatever the state before. */
void geo_val_object_begin(struct geo_val_object *object, const struct geo_val_birth *birth);

/* Starts the end of a lifetime, from ALIVE to ENDING, by the given call. Returns false when the
 * object was not alive. The caller passes *life to geo_val_object_ended. */
bool geo_val_object_ending(struct geo_val_object *object, enum geo_ddi_function_id function,
                           uint64_t *life);
/* Ends a lifetime: to DEAD, or back to ALIVE with !ended. Does nothing when another lifetime has
 * started. */
void geo_val_object_ended(struct geo_val_object *object, uint64_t life, bool ended);

/* Number of destructions: destroyed objects, freed memory, removed mappings. While it is unchanged,
 * earlier checks need not be repeated. */
extern atomic_uint geo_val_endings;

struct geo_val_history geo_val_object_history(const struct geo_val_object *object);

#endif
