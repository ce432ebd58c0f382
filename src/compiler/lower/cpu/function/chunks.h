/* Variants of the loops over the chunks of a group (variants.c), in rows or by linear id. */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_CHUNKS_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_CHUNKS_H

#include "compiler/lower/cpu/function/groups.h"

/* Run the body for all chunks of the current group, with k->resume. */
void geo_function_chunks_linear_run(struct geo_lower_groups *k);
void geo_function_chunks_rows_run(struct geo_lower_groups *k);

/* Run the chunks of k->row:
 * - masked: each chunk as a partial one, in one loop
 * - whole: full chunks only; no item is left
 * - mixed: full chunks, and a partial one for the items that are left
 * - agreed: mixed, but a full chunk starts again as a partial one if its lanes disagree at a border
 *   (analysis/agreement.h) */
void geo_function_chunks_row_masked_run(struct geo_lower_groups *k);
void geo_function_chunks_row_whole_run(struct geo_lower_groups *k);
void geo_function_chunks_row_mixed_run(struct geo_lower_groups *k);
void geo_function_chunks_row_agreed_run(struct geo_lower_groups *k);

/* Moves to the first row of the first z: sets the ids of the current chunk to zero. */
void geo_function_chunks_begin(struct geo_lower_groups *k);
/* Returns the number of items of a row that are run, if known at build time, or 0. */
uint32_t geo_function_chunks_known_items(const struct geo_lower_groups *k);

#endif
