/* The objects that the application has handles of: a table from handle and type to a record.
 *
 *     hash of (handle, type)   0110 1011 0010 | 01 | 11 | 00 ...
 *                              root 0x6b2       |    |    |
 *                                  v            v    v    v       a node has four below it
 *                                record --[1]--> record --[3]--> record
 *
 * Look-ups take no lock and write nothing: a record is added with one compare-and-exchange and
 * never moves or goes away, so whoever has found one may look at it for ever. When a handle's
 * object is destroyed the record stays and tells of it; when the driver gives the handle out again
 * the record begins its next life. So there is a record for each value that the driver ever used
 * as a handle, as many as it had objects at once. The hash is one-to-one, so paths part after 64
 * bits at last.
 *
 * A life is a number and a state in one word. What ends a life or brings it back compares that
 * word: while one thread is between the driver's destruction of an object and its own note of it,
 * the driver may have given the handle to another thread, whose new life then stays as it is. */
#ifndef GEO_LAYERS_VALIDATION_OBJECTS_H
#define GEO_LAYERS_VALIDATION_OBJECTS_H

#include "layers/validation/validation.h"

enum geo_val_state {
    GEO_VAL_NEVER, /* known of no life: its record is being made */
    GEO_VAL_ALIVE,
    GEO_VAL_ENDING, /* a call that destroys it is under way */
    GEO_VAL_DEAD,
};

struct geo_val_object {
    _Atomic(struct geo_val_object *) below[4];
    uint64_t key;              /* handle and type; never changes */
    _Atomic uint64_t life;     /* number << 2 | enum geo_val_state */
    _Atomic uintptr_t context; /* handle of the context that it belongs to, 0: to none */
    _Atomic uintptr_t device;  /* handle of the one device that it was made for, 0: of none */
    _Atomic(struct geo_val_object *)
        parent;          /* what it was made from and has to go before, or NULL */
    atomic_int children; /* alive, that were made from this one */
    /* Of the thread in a call that has the object for itself: thread << 16 | function; 0: none. */
    _Atomic uint64_t holder;
    atomic_uint users; /* calls under way that share it */
    atomic_bool lent;  /* looked up, not made: nobody has to destroy it */
    _Atomic uint64_t made, made_ns, ended, ended_ns; /* see geo_val_object_history */
    _Atomic(const struct geo_val_stack *) stack;
    _Atomic(void *) data; /* of the part that the type is the business of */
};

static inline enum geo_val_state geo_val_life_state(uint64_t life)
{
    return (enum geo_val_state)(life & 3);
}

static inline bool geo_val_object_alive(const struct geo_val_object *object)
{
    return geo_val_life_state(atomic_load_explicit(&object->life, memory_order_acquire)) ==
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

static inline uint64_t geo_val_key(unsigned type, const void *handle)
{
    return (uint64_t)(uintptr_t)handle ^ (uint64_t)type << 56;
}

/* NULL: no such handle was ever known. */
static inline struct geo_val_object *geo_val_object_find(unsigned type, const void *handle)
{
    const uint64_t key = geo_val_key(type, handle);
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
    struct geo_val_object *object = atomic_load_explicit(
        &geo_val_roots[hash >> (64 - GEO_VAL_ROOT_BITS)], memory_order_acquire);
    for (hash <<= GEO_VAL_ROOT_BITS; object && object->key != key; hash <<= 2)
        object = atomic_load_explicit(&object->below[hash >> 62], memory_order_acquire);
    return object;
}

/* The same, made where there is none. NULL: memory ran out. */
struct geo_val_object *geo_val_object_take(unsigned type, const void *handle);

/* Visits every record there is. */
void geo_val_objects_each(void (*visit)(struct geo_val_object *object, void *user), void *user);

/* --- lives --- */

struct geo_val_birth {
    enum geo_ddi_function_id function; /* GEO_DDI_FUNCTION_COUNT: not seen by the layer */
    struct geo_val_object *parent;     /* or NULL */
    uintptr_t context, device;         /* or 0 */
    bool lent;
};

/* Begins a life, whatever was before. */
void geo_val_object_begin(struct geo_val_object *object, const struct geo_val_birth *birth);

/* Ends it: from ALIVE to ENDING, with the call that does it. False: it was not alive. *life is for
 * the call that follows. */
bool geo_val_object_ending(struct geo_val_object *object, enum geo_ddi_function_id function,
                           uint64_t *life);
/* To DEAD, or back to ALIVE; nothing when another life has begun. */
void geo_val_object_ended(struct geo_val_object *object, uint64_t life, bool ended);

/* Counts what ends: destroyed objects, frees, removed mappings. While it stays the same, what was
 * checked need not be checked again. */
extern atomic_uint geo_val_endings;

struct geo_val_history geo_val_object_history(const struct geo_val_object *object);

#endif
