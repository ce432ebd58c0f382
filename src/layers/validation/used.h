/* Checks of what commands use (uses.h), by what is known at that time: when they are appended, and
 * when a list or graph that has kept them is executed. */
#ifndef GEO_LAYERS_VALIDATION_USED_H
#define GEO_LAYERS_VALIDATION_USED_H

#include "layers/validation/uses.h"

/* Where an item is met. */
struct geo_val_met {
    const struct geo_layer_call *call;
    ze_command_list_handle_t
        list;  /* that has the command, or gets it; NULL: the call is no append */
    bool runs; /* the command may run from now on */
    /* Of a command that is executed later than it was appended: */
    bool replayed;
    bool recorded; /* it is one of a graph: events and kernels are the graph's business */
    enum geo_ddi_function_id function; /* that appended it */
    uint32_t number;                   /* in its list or graph */
    const void *holder;                /* the list or graph */
    const char *argument;              /* that brought it along, of `call` */
    /* Out: */
    bool told;          /* something was wrong */
    ze_result_t answer; /* refuses the call where the device would certainly touch what is gone */
};

/* Tells what is wrong with an item: freed, of another context, out of range, destroyed. Needs no
 * lock of the model. */
void geo_val_used_check(const struct geo_val_used *used, struct geo_val_met *met);

/* Checks all that a call uses, its overlap included, and arguments of kernels. */
ze_result_t geo_val_call_check(const struct geo_layer_call *call, ze_command_list_handle_t list,
                               bool runs);

#endif
