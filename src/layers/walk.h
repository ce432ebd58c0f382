/* Walks over the values of a call: every argument, and what pointers lead to, with the description
 * of each. Checks, records of handles and printing are visitors of one walk; none of them knows a
 * function.
 *
 *     zeEventPoolCreate(hContext, desc, numDevices, phDevices, phEventPool)
 *
 *     BEFORE   ARGUMENT hContext      HANDLE
 *              ARGUMENT desc          STRUCT *
 *                MEMBER   flags       FLAGS        behind the pointer; parent: desc
 *                MEMBER   count       VALUE
 *                LINK     pNext       a structure of the chain, with its own members
 *              ARGUMENT numDevices    VALUE
 *              ARGUMENT phDevices     HANDLE *
 *                ELEMENT  [0]         HANDLE       as many as numDevices says
 *              ARGUMENT phEventPool   HANDLE *
 *     AFTER    ELEMENT  phEventPool   HANDLE       the one that was made
 *
 * BEFORE visits what goes in: all arguments, then what stands behind pointers in that direction.
 * AFTER visits what came out, and nothing when the call failed. A null pointer is visited as an
 * argument or member and not followed; so is untyped memory, text, and an array of numbers. A
 * structure's chain is followed when its stype is one of its own. */
#ifndef GEO_LAYERS_WALK_H
#define GEO_LAYERS_WALK_H

#include "layers/layer.h"

enum geo_layer_phase { GEO_LAYER_BEFORE, GEO_LAYER_AFTER };

enum geo_layer_place {
    GEO_LAYER_ARGUMENT, /* of the call */
    GEO_LAYER_MEMBER,   /* of a structure */
    GEO_LAYER_ELEMENT,  /* behind a pointer: the only one, or one of an array */
    GEO_LAYER_LINK,     /* a structure in a chain */
};

struct geo_layer_value {
    enum geo_layer_place place;
    const struct geo_ddi_param *param;      /* LINK: the pNext that begins the chain */
    const struct geo_ddi_struct *structure; /* LINK: what it is, NULL when unknown */
    const struct geo_ddi_struct *base;      /* LINK: whose chain; NULL: the function's own */
    void *address;                          /* where the value lies */
    size_t index;                           /* ELEMENT, LINK: which one */
    const struct geo_layer_value *parent;   /* the pointer or structure it was reached through */
};

/* Anything but SUCCESS ends the walk and is its result. The value is gone when the visitor returns. */
typedef ze_result_t (*geo_layer_visit_fn)(const struct geo_layer_value *value, void *user);

ze_result_t geo_layer_walk(const struct geo_layer_call *call, enum geo_layer_phase phase,
                           geo_layer_visit_fn visit, void *user);

#endif
