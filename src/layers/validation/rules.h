/* What the checks of commands, memory and events do at the calls of a function. Each file has a
 * table of its functions; commands.c puts the tables together when the library is loaded, so a
 * function is checked and followed when it has a row, and not otherwise. That each function which
 * makes, ends or has for itself an object of the model has a row is a test
 * (unit_layers_validation_uses). */
#ifndef GEO_LAYERS_VALIDATION_RULES_H
#define GEO_LAYERS_VALIDATION_RULES_H

#include "layers/validation/validation.h"

struct geo_val_rule {
    uint16_t function; /* GEO_DDI_FUNCTION_COUNT ends a table */
    /* Before the call: what is wrong with it. Under the lock of the model. May be NULL. */
    ze_result_t (*check)(const struct geo_layer_call *call);
    /* Before the call, when nothing was wrong: what `note` is to be given. May be NULL. */
    void *(*prepare)(const struct geo_layer_call *call);
    /* After a call that succeeded. Under the lock. May be NULL. */
    void (*note)(const struct geo_layer_call *call, void *prepared);
    /* The call has all that check and note touch for itself: they take no lock. */
    bool alone;
    bool check_alone; /* check only */
    bool nothing;     /* nothing has to be followed: the row says that it was not forgotten */
};

enum { GEO_VAL_RULES = 4 }; /* most of one function */

/* The rows of a function, NULL behind the last. */
struct geo_val_rules {
    const struct geo_val_rule *of[GEO_VAL_RULES + 1];
};
extern struct geo_val_rules geo_val_rules[GEO_DDI_FUNCTION_COUNT];

extern const struct geo_val_rule geo_val_argument_rules[], geo_val_device_rules[],
    geo_val_list_rules[], geo_val_queue_rules[], geo_val_event_rules[], geo_val_pool_rules[],
    geo_val_graph_rules[], geo_val_mutable_rules[], geo_val_end_rules[], geo_val_virtual_rules[],
    geo_val_image_rules[];

#endif
