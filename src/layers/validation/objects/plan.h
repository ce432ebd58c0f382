/* The steps that describe what each function does with handles. They are derived from the data of
 * ddi when the library is loaded, so that a call iterates only over its handles.
 *
 *     zeCommandListAppendBarrier(hCommandList, hSignalEvent, numWaitEvents, phWaitEvents)
 *         USE   hCommandList   alone
 *         USE   hSignalEvent
 *         USE   phWaitEvents   count: numWaitEvents
 */
#ifndef GEO_LAYERS_VALIDATION_PLAN_H
#define GEO_LAYERS_VALIDATION_PLAN_H

#include "layers/validation/validation.h"

enum geo_val_action {
    GEO_VAL_USE,   /* the object must be alive */
    GEO_VAL_END,   /* the object is destroyed; the last step before the call */
    GEO_VAL_MADE,  /* the call writes the handle of a new object */
    GEO_VAL_FOUND, /* the call writes the handle of an existing object */
};

struct geo_val_step {
    uint8_t action; /* enum geo_val_action */
    uint8_t param;
    uint8_t type; /* index in geo_ddi_handles */
    /* Param points to an array of handles; else it is a handle, or points to one (MADE, FOUND). */
    bool array;
    int8_t count_param;  /* arrays: the parameter with the number of handles, or -1 */
    bool count_indirect; /* that parameter is a pointer */
    bool alone;          /* two threads must not use the object at once */
};

struct geo_val_plan {
    const struct geo_val_step *steps;
    uint8_t use_count; /* number of USE and END steps, which come first */
    uint8_t count;
    /* For a call that creates a view: the step with the object that it shows; else -1. */
    int8_t view_of;
    bool ends_children; /* destroying the object also destroys objects created from it */
    bool contexts;      /* accepts objects of several contexts */
    bool has_arrays;    /* it uses arrays of handles */
    bool makes_log;     /* it creates a build log, even if it fails */
    /* The created object depends only on the context of the first object, not on the object. */
    bool sibling;
};

extern struct geo_val_plan geo_val_plans[GEO_DDI_FUNCTION_COUNT];
/* Whether some function destroys objects of the type. */
extern bool geo_val_type_ends[GEO_DDI_HANDLE_COUNT];

static inline uint32_t geo_val_step_number(const struct geo_layer_call *call,
                                           const struct geo_val_step *step)
{
    const uint32_t *number = call->arguments[step->count_param];
    if (step->count_indirect) {
        number = *(const uint32_t *const *)call->arguments[step->count_param];
    }
    return number ? *number : 0;
}

/* Returns the handles of a step, and their number in *count. */
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

/* Prints the name of a handle argument, such as "hEvent" or "phWaitEvents[2]". */
const char *geo_val_step_name(const struct geo_layer_call *call, const struct geo_val_step *step,
                              size_t index, char *buffer, size_t size);

#endif
