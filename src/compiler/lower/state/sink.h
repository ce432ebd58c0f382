/* Addresses are computed where they are used. */
#ifndef GEO_COMPILER_LOWER_STATE_SINK_H
#define GEO_COMPILER_LOWER_STATE_SINK_H

#include "compiler/ir/ir.h"

/* False when memory ran out. */
bool geo_lower_sink_addresses(struct geo_ir_function *function);

#endif
