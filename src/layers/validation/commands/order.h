/* The effects of submitted commands on events (events.c), and the order among commands: conflicts
 * without an order (hazards.c), and commands that can never run (deadlocks.c). */
#ifndef GEO_LAYERS_VALIDATION_ORDER_H
#define GEO_LAYERS_VALIDATION_ORDER_H

#include "layers/validation/model/model.h"

/* Records the effects of a submitted command on events. */
void geo_val_events_submit(const struct geo_layer_call *call,
                           const struct geo_val_command *command);

/* Checks whether the new command, the last of its list, conflicts with an earlier command without
 * an order between them. Stores the list's first conflict. The lock is held, as for all functions
 * below. */
void geo_val_hazards_find(struct geo_val_list *list);
/* Reports the list's conflict once, when the list runs. */
void geo_val_hazard_tell(const struct geo_layer_call *call, struct geo_val_list *list);
/* Marks commands that the host has seen complete: those that signal the event, their predecessors,
 * and the commands in other lists that these waited for. */
void geo_val_hazards_settle_event(const void *event);
/* Marks the commands of a list whose numbers are below `end` as completed, their predecessors, and
 * the commands in other lists that these waited for. */
void geo_val_hazards_settle_list(struct geo_val_list *list, uint32_t end);

/* Reports submitted commands that can never run unless the host signals an event. Called when the
 * host is about to wait. */
void geo_val_deadlocks_find(const struct geo_layer_call *call);

#endif
