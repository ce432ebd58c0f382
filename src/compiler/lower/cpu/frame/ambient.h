/* Finds ambient values: values that are available everywhere in the body that is being emitted. */
#ifndef GEO_COMPILER_LOWER_CPU_FRAME_AMBIENT_H
#define GEO_COMPILER_LOWER_CPU_FRAME_AMBIENT_H

#include "compiler/lower/state/function.h"

/* Returns whether a value is ambient. Ambient are parameters, ids, addresses of private variables,
 * and scalars that a few instructions compute from those alone. Ambient values have no home, and
 * they are rematerialised instead of saved at barriers. */
bool geo_frame_is_ambient(const struct geo_lower_function *f, const struct geo_ir_value *value);
/* Returns whether a value is available before the body of the current region: it is ambient, or the
 * group computed or loaded it before (cpu/frame/cut.h). */
bool geo_frame_ambient_is_above(const struct geo_lower_function *f,
                                const struct geo_ir_value *value);
/* Fills f->frame->ambient for the current shapes. Returns false after a failure. */
bool geo_frame_ambient_find(struct geo_lower_function *f);

#endif
