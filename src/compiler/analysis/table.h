/* Finds loads from small tables of bytes: the address is the same in all lanes but for one index,
 * whose range is known and short.
 *
 *     letters[b & 63]      lut[x >> 4]      box[(uchar)x]
 *
 * Such a table fits in registers, where an instruction looks up all lanes at once. */
#ifndef GEO_COMPILER_ANALYSIS_TABLE_H
#define GEO_COMPILER_ANALYSIS_TABLE_H

#include "compiler/analysis/shape.h"

/* The shortest table: shorter ones count as such. */
#define GEO_TABLE_LEAST 16u

/* A table that a load reads. */
struct geo_table {
    struct geo_ir_value *base;  /* points to element 0 */
    struct geo_ir_value *index; /* from 0 to count - 1 in each lane of the work-group */
    uint32_t count;             /* elements, a power of two */
    /* The table lies in a variable that has all elements. Otherwise only those are known to be
       readable that are on the page of an element that a lane reads. */
    bool whole;
};

/* Returns whether an instruction loads from a table of at most `limit` elements, and sets *out. */
bool geo_table_find(const struct geo_shapes *shapes, const struct geo_ir_function *function,
                    const struct geo_ir_inst *inst, uint32_t limit, struct geo_table *out);

#endif
