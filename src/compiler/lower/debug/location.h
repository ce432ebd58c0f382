/* Source locations of the code that is emitted. */
#ifndef GEO_COMPILER_LOWER_DEBUG_LOCATION_H
#define GEO_COMPILER_LOWER_DEBUG_LOCATION_H

#include "compiler/lower/state/function.h"

/* Code emitted next belongs to an instruction. If it has no location, the last one remains. */
void geo_debug_location_set(struct geo_lower_function *f, const struct geo_ir_inst *inst);
/* Code emitted next belongs to no line. */
void geo_debug_location_clear(struct geo_lower_function *f);

#endif
