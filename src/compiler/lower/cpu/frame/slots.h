/* Assigns places in the chunk's record to the values that pass between regions. */
#ifndef GEO_COMPILER_LOWER_CPU_FRAME_SLOTS_H
#define GEO_COMPILER_LOWER_CPU_FRAME_SLOTS_H

#include "compiler/lower/cpu/frame/cut.h"

/* Returns the value that owns the place of a kept value. For a phi that merely copies another
 * value, that is the other value's root. */
const struct geo_ir_value *geo_frame_slot_root(const struct geo_lower_cut *cut,
                                               const struct geo_ir_value *value);
/* Places all values that are kept in the record and sets the offsets in the regions' lists. A phi
 * and its operand share a place if they are never live at the same time, which saves the copy along
 * the edge. Adds the size to *total. Returns false after a failure. */
bool geo_frame_slots_place(struct geo_lower_function *f, struct geo_lower_cut *cut,
                           uint64_t *total);

#endif
