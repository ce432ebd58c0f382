/* Decides which 32-bit indexes cannot wrap between lanes, because an access would otherwise leave
 * its object.
 *
 * An access is a load or a store, also of vectors by functions of OpenCL.
 * A pointer may access only the object that it is based on, and objects are smaller than 4 GiB.
 * Take an index extended from 32 bits that is added to an address in its own block. If all other
 * parts of the address are known, a wrap of the index between two lanes would move the address by
 * 2^32 elements, out of the object. So the access proves that the index does not wrap. It proves
 * nothing for two such indexes in one address, which may wrap against each other, nor beside a
 * varying part, which may compensate a wrap.
 *
 *     a[(long)(int)(y * n + x)]                proven
 *     a[(ulong)(uint)(g + c) + (uint)(d - g)]  not proven
 *     a[offset[g] + (uint)(g + c)]             not proven
 */
#ifndef GEO_COMPILER_ANALYSIS_INDEX_H
#define GEO_COMPILER_ANALYSIS_INDEX_H

#include "compiler/analysis/shape_fact.h"

/* Bound on the number of checks. An index that loses its proof may take away the proof of
 * another. */
#define GEO_INDEX_ROUNDS 8

/* Handles a right shift that moves an index back to its place, or to that of a multiple, after a
 * left shift has cut it to 32 bits. Clang writes (long)i * 4 as i << 32 >> 30. Returns the power of
 * two at which the result wraps: 32 or a little more. Returns 0 for other instructions. */
uint32_t geo_index_log(const struct geo_ir_inst *inst);

/* Called when the facts have settled. Clears `trusted` of each index that relies on an access but
 * has no proof (with `all`: of each that relies on one), and calls `changed` with it. Returns false
 * when the arena is exhausted. */
bool geo_indexes_check(struct shape_state *state, bool all,
                       void (*changed)(void *data, struct geo_ir_inst *inst), void *data);

#endif
