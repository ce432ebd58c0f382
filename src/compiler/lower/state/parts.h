/* Parts: the scalar leaves of a type, in memory order. Vectors, arrays and structs of the model are
 * flattened into them everywhere in lower/. */
#ifndef GEO_COMPILER_LOWER_STATE_PARTS_H
#define GEO_COMPILER_LOWER_STATE_PARTS_H

#include "compiler/lower/state/function.h"

/* A value of more parts than this is refused: it would become that many registers. */
#define GEO_PARTS_LIMIT 65536u

/* Number of parts of a value of this type (above the limit: limit + 1), and the type of part i. */
uint32_t geo_part_count(const struct geo_ir_type *type);
const struct geo_ir_type *geo_part_type(const struct geo_ir_type *type, uint32_t part);
/* Byte offset of part i in memory. */
uint64_t geo_part_offset(const struct geo_ir_type *type, uint32_t part);
/* The first part and the type of what `indices` select in a composite. False: out of range. */
bool geo_part_select(const struct geo_ir_type *type, const uint32_t *indices, uint32_t count,
                     uint32_t *part, const struct geo_ir_type **selected);

/* A part in memory. */
struct geo_part_place {
    const struct geo_ir_type *type;
    uint64_t offset;
};
/* All of a type's, in the function's arena; NULL after a failure. */
const struct geo_part_place *geo_part_places(struct geo_lower_function *f,
                                             const struct geo_ir_inst *inst,
                                             const struct geo_ir_type *type, uint32_t *count);

#endif
