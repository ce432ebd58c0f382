/* What each function does with handles: a few steps, drawn from the descriptions of ddi when the
 * library is loaded, so that a call walks over its handles alone.
 *
 *     zeCommandListAppendBarrier(hCommandList, hSignalEvent, numWaitEvents, phWaitEvents)
 *         USE   hCommandList   alone
 *         USE   hSignalEvent
 *         USE   phWaitEvents   as many as numWaitEvents says */
#ifndef GEO_LAYERS_VALIDATION_PLAN_H
#define GEO_LAYERS_VALIDATION_PLAN_H

#include "layers/validation/validation.h"

enum geo_val_action {
    GEO_VAL_USE,   /* the object has to be alive */
    GEO_VAL_END,   /* its life ends; last of the steps before the call */
    GEO_VAL_MADE,  /* written by the call: a new object */
    GEO_VAL_FOUND, /* written by the call: one that somebody else has */
};

struct geo_val_step {
    uint8_t action; /* enum geo_val_action */
    uint8_t param;
    uint8_t type;       /* geo_ddi_handles */
    bool array;         /* param is a pointer to handles; else to one (MADE, FOUND) or the handle */
    int8_t count_param; /* arrays: the parameter with their number */
    bool count_indirect; /* it is a pointer to the number */
    bool alone;          /* not from two threads at once */
};

struct geo_val_plan {
    const struct geo_val_step *steps;
    uint8_t use_count; /* USE and END stand first */
    uint8_t count;
    int8_t view_of;     /* the step with what a new object shows another way, and needs; -1: none */
    bool ends_children; /* by itself: what was made from the object needs not go before */
    bool contexts;      /* takes more than one context on purpose */
    bool has_arrays;    /* of handles that are used */
    bool makes_log;     /* also when it fails */
    bool
        sibling; /* what it makes does not depend on its first object, only on that one's context */
};

extern struct geo_val_plan geo_val_plans[GEO_DDI_FUNCTION_COUNT];
/* Whether some function ends the life of objects of the type. */
extern bool geo_val_type_ends[GEO_DDI_HANDLE_COUNT];

static inline uint32_t geo_val_step_number(const struct geo_layer_call *call,
                                           const struct geo_val_step *step)
{
    const uint32_t *number = call->arguments[step->count_param];
    if (step->count_indirect)
        number = *(const uint32_t *const *)call->arguments[step->count_param];
    return number ? *number : 0;
}

/* The handles of a step: *count of them from the returned place. */
static inline void *const *geo_val_step_handles(const struct geo_layer_call *call,
                                                const struct geo_val_step *step, size_t *count)
{
    if (!step->array && step->action <= GEO_VAL_END) {
        *count = 1;
        return call->arguments[step->param];
    }
    void *const *place = *(void *const *const *)call->arguments[step->param];
    *count = !place ? 0 : step->array ? geo_val_step_number(call, step) : 1;
    return place;
}

/* "hEvent", "phWaitEvents[2]" */
const char *geo_val_step_name(const struct geo_layer_call *call, const struct geo_val_step *step,
                              size_t index, char *buffer, size_t size);

#endif
