/* Checks the items that commands use (uses.h) at the current time: when the commands are appended,
 * and when a list or graph that stores them is executed. */
#ifndef GEO_LAYERS_VALIDATION_USED_H
#define GEO_LAYERS_VALIDATION_USED_H

#include "layers/validation/uses/uses.h"

/* The situation in which an item is checked. */
struct geo_val_met {
    const struct geo_layer_call *call;
    ze_command_list_handle_t list; /* the list of the command; NULL: the call is not an append */
    bool runs;                     /* the command may run from now on */
    /* For a command that is executed later than it was appended: */
    bool replayed;
    bool recorded; /* the command is recorded in a graph, so events and kernels are not checked */
    enum geo_ddi_function_id function; /* function that appended it */
    uint32_t number;                   /* its index in the list or graph */
    const void *holder;                /* the list or graph */
    const char *argument;              /* the argument of `call` that names the list or graph */
    /* Output: */
    bool told; /* an error was reported */
    /* The call's result: refused when the device would certainly access freed memory. */
    ze_result_t answer;
};

/* Reports errors of an item: freed, of another context, out of range, destroyed. Does not need the
 * model's lock. */
void geo_val_used_check(const struct geo_val_used *used, struct geo_val_met *met);

/* Checks all items that a call uses, including overlaps and kernel arguments. */
ze_result_t geo_val_used_call_check(const struct geo_layer_call *call,
                                    ze_command_list_handle_t list, bool runs);

#endif
