/* Elements of arrays in local memory that items access at their local id plus a distance. */
#ifndef GEO_COMPILER_TRANSFORM_MEMORY_LOCAL_ELEMENT_H
#define GEO_COMPILER_TRANSFORM_MEMORY_LOCAL_ELEMENT_H

#include "compiler/ir/ir.h"

/* The element array[id + distance - less]. */
struct geo_local_element {
    const struct geo_ir_value *array; /* a variable or an argument */
    struct geo_ir_inst *id;           /* the local id along x */
    int64_t distance;
    const struct geo_ir_value *less; /* a number of 32 or 64 bits; NULL: 0 */
};

/* Returns the local id along x that a value is or extends, or NULL. Ids have less than 32 bits. */
struct geo_ir_inst *geo_local_element_id(struct geo_ir_value *value);

/* Returns whether a pointer to local memory is such an element, of `size` bytes. The sum does not
 * wrap if the element exists. */
bool geo_local_element(struct geo_ir_value *pointer, uint64_t size, struct geo_local_element *out);

#endif
