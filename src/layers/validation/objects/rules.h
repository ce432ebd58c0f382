/* The rules of the checks of commands, memory and events: what they do at the calls of a function.
 * Each file has a table of rules, and commands.c merges the tables when the library is loaded. A
 * function without a rule is not tracked. The test unit_layers_validation_uses_uses checks that
 * every function that creates, destroys or exclusively uses an object of the model has a rule. */
#ifndef GEO_LAYERS_VALIDATION_RULES_H
#define GEO_LAYERS_VALIDATION_RULES_H

#include "layers/validation/validation.h"

struct geo_val_rule {
    uint16_t function; /* GEO_DDI_FUNCTION_COUNT ends a table */
    /* Called before the call: checks it. The model's lock is held. May be NULL. */
    ze_result_t (*check)(const struct geo_layer_call *call);
    /* Called before the call if no check failed. Its result is passed to `note`. May be NULL. */
    void *(*prepare)(const struct geo_layer_call *call);
    /* Called after the call if it succeeded. The model's lock is held. May be NULL. */
    void (*note)(const struct geo_layer_call *call, void *prepared);
    /* check and note access only objects that the call uses exclusively, so the lock is not
     * taken */
    bool alone;
    bool check_alone; /* check accesses only such objects; note takes the lock */
    bool nothing;     /* the function needs no tracking; the rule documents that */
};

enum { GEO_VAL_RULES = 4 }; /* maximum number of rules of a function */

/* The rules of a function, terminated by NULL. */
struct geo_val_rules {
    const struct geo_val_rule *of[GEO_VAL_RULES + 1];
};
extern struct geo_val_rules geo_val_rules[GEO_DDI_FUNCTION_COUNT];

extern const struct geo_val_rule geo_val_argument_rules[], geo_val_device_rules[],
    geo_val_list_rules[], geo_val_queue_rules[], geo_val_event_rules[], geo_val_pool_rules[],
    geo_val_graph_rules[], geo_val_mutable_rules[], geo_val_end_rules[], geo_val_virtual_rules[],
    geo_val_image_rules[];

#endif
