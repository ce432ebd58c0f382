/* Finds kernels whose groups may contend for global memory.
 *
 * Cores that change the same words by atomics slow each other down, so few of them may be faster
 * than many. A launch may run such a kernel with few threads, even with one, if no group needs
 * another one to run at the same time. So a kernel that may wait for another group is left out,
 * although the specification promises it nothing. */
#ifndef GEO_COMPILER_ANALYSIS_CONTENDED_H
#define GEO_COMPILER_ANALYSIS_CONTENDED_H

#include "compiler/analysis/loops.h"

/* Sets *contended for a numbered kernel without calls and without barriers of the device. It is
 * true if the kernel changes memory outside its group by atomics, and no item may wait for another
 * group. An item may wait in a loop with a fence of such memory, or as waiting.h says. Returns
 * false when the arena is exhausted. */
bool geo_contended_find(const struct geo_loops *loops, struct geo_arena *arena, bool *contended);

#endif
