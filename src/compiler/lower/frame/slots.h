/* Places in the chunk's record for what regions leave to each other. */
#ifndef GEO_COMPILER_LOWER_FRAME_SLOTS_H
#define GEO_COMPILER_LOWER_FRAME_SLOTS_H

#include "compiler/lower/frame/cut.h"

/* The value whose place a kept value has, a phi that only hands another value on: that one's. */
const struct geo_ir_value *geo_lower_slot_root(const struct geo_lower_cut *cut,
                                               const struct geo_ir_value *value);
/* Places all values that chunks keep, from the regions' lists, and sets the lists' offsets. A phi
 * and what it gets share a place where they never live at the same time, so that nothing is copied
 * along the edge. *total grows. False after a failure. */
bool geo_lower_slots_place(struct geo_lower_function *f, struct geo_lower_cut *cut,
                           uint64_t *total);

#endif
