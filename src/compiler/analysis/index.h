/* Which 32-bit indexes are taken not to wrap, because an access vouches for them.
 *
 * A pointer accesses the object that it is based on and no other, and objects have less than 4 GiB.
 * So an index that is extended from 32 bits does not wrap from one lane to another when an access
 * in its own block adds it to an address of which everything else is known: a wrap would move that
 * address by 2^32 elements. Two such indexes in one address may wrap against each other, and what
 * varies may make up for a wrap: then the access vouches for none.
 *
 *     a[(long)(int)(y * n + x)]               vouches
 *     a[(ulong)(uint)(g + c) + (uint)(d - g)] does not, nor does a[offset[g] + (uint)(g + c)] */
#ifndef GEO_COMPILER_ANALYSIS_INDEX_H
#define GEO_COMPILER_ANALYSIS_INDEX_H

#include "compiler/analysis/shape_fact.h"

/* How often the indexes are checked; one that loses its voucher may take away another's. */
#define GEO_INDEX_ROUNDS 8

/* A right shift of an index that a left shift has cut to 32 bits, back to its place or to that of a
 * multiple, as clang writes (long)i * 4: i << 32 >> 30. Gives what the result wraps at, as a power
 * of two: 32 or a little more; 0: it is none. */
uint32_t geo_index_log(const struct geo_ir_inst *inst);

/* After facts have settled: takes the trust from each index that leans on accesses and has none to
 * vouch for it (from every one that leans if `all`), and calls `changed` with it. False when the
 * arena ran out. */
bool geo_indexes_check(struct shape_state *state, bool all,
                       void (*changed)(void *data, struct geo_ir_inst *inst), void *data);

#endif
