/* Parts are the scalar leaves of a type, in memory order. All of lower/ treats a vector, array or
 * struct as the list of its parts. */
#ifndef GEO_COMPILER_LOWER_STATE_PARTS_H
#define GEO_COMPILER_LOWER_STATE_PARTS_H

#include "compiler/lower/state/function.h"

/* Largest number of parts of a value. Each part needs a register, so larger values are refused. */
#define GEO_PARTS_LIMIT 65536u

/* geo_part_count returns the number of parts of a value of this type, or GEO_PARTS_LIMIT + 1 if
 * there are more than the limit. geo_part_type returns the type of one part. */
uint32_t geo_part_count(const struct geo_ir_type *type);
const struct geo_ir_type *geo_part_type(const struct geo_ir_type *type, uint32_t part);
/* Returns the byte offset of a part in memory. */
uint64_t geo_part_offset(const struct geo_ir_type *type, uint32_t part);
/* Finds the member of a composite that `indices` select: the number of its first part, and its
 * type. Returns false if an index is out of range. */
bool geo_part_select(const struct geo_ir_type *type, const uint32_t *indices, uint32_t count,
                     uint32_t *part, const struct geo_ir_type **selected);

/* Type of a part and its byte offset in memory. */
struct geo_part_place {
    const struct geo_ir_type *type;
    uint64_t offset;
};
/* Returns the places of all parts of a type, allocated in the function's arena. On failure it
 * reports the error and returns NULL. */
const struct geo_part_place *geo_part_places(struct geo_lower_function *f,
                                             const struct geo_ir_inst *inst,
                                             const struct geo_ir_type *type, uint32_t *count);

#endif
