/* Ambient values: which values of a function are there everywhere in a body that is emitted. */
#ifndef GEO_COMPILER_LOWER_FRAME_AMBIENT_H
#define GEO_COMPILER_LOWER_FRAME_AMBIENT_H

#include "compiler/lower/state/function.h"

/* True for values that exist before the first block and everywhere: parameters, ids, addresses of
 * private variables, and what is computed from those alone in a scalar instruction or two. They
 * have no home and are computed again rather than saved. */
bool geo_lower_is_ambient(const struct geo_lower_function *f, const struct geo_ir_value *value);
/* Ambient, or the group computed or loaded it before the body of the region that is emitted
 * (frame/cut.h). */
bool geo_lower_is_above(const struct geo_lower_function *f, const struct geo_ir_value *value);
/* Finds them for the current shapes. */
bool geo_lower_ambient_find(struct geo_lower_function *f);

#endif
