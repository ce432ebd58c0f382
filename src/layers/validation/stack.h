/* Stacks of calls that made objects: taken only when GEOID_VALIDATION_STACKS is on, kept once each,
 * given names when a message shows them. */
#ifndef GEO_LAYERS_VALIDATION_STACK_H
#define GEO_LAYERS_VALIDATION_STACK_H

#include "base/strbuf.h"

struct geo_val_stack;

/* The caller's; NULL when stacks are off or memory ran out. Lives for ever. */
const struct geo_val_stack *geo_val_stack_take(void);

/* A line a frame: "        #0 function at file:line (library)". */
void geo_val_stack_text(const struct geo_val_stack *stack, struct geo_strbuf *line);
/* ,"stack":["function at file:line (library)", ...] */
void geo_val_stack_json(const struct geo_val_stack *stack, struct geo_strbuf *line);

#endif
