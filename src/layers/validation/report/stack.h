/* Call stacks of the calls that created objects. Recorded only with GEOID_VALIDATION_STACKS, stored
 * once each, and resolved to names when a message prints them. */
#ifndef GEO_LAYERS_VALIDATION_STACK_H
#define GEO_LAYERS_VALIDATION_STACK_H

#include "base/strbuf.h"

#include <stdbool.h>

struct geo_val_stack;

#define GEO_VAL_FILE_BYTES 512 /* small, because callers may have small stacks */

/* Returns the caller's stack, which is never freed, or NULL when stacks are off or memory ran
 * out. */
const struct geo_val_stack *geo_val_stack_take(void);

/* Prints one line per frame: "    #0 function at file:line (library)". */
void geo_val_stack_text(const struct geo_val_stack *stack, struct geo_strbuf *line);
/* Prints the JSON member ,"stack":["function at file:line (library)", ...] */
void geo_val_stack_json(const struct geo_val_stack *stack, struct geo_strbuf *line);

/* Returns the source file and line of the program's call: of the first frame that is neither in
 * this layer nor in a library of Level Zero. Returns false if libdw does not know it. */
bool geo_val_stack_place(const struct geo_val_stack *stack, char file[GEO_VAL_FILE_BYTES],
                         int *line);

#endif
