/* Measures the highest speeds of this machine's processors: operations and bytes per second.
 * Uses the processors that zetrace itself may use. */
#ifndef TOOLS_ZETRACE_PEAKS_H
#define TOOLS_ZETRACE_PEAKS_H

#include <stdbool.h>

struct peaks {
    unsigned threads;
    double single_flops, double_flops; /* per second, with fused operations: 2 each */
    /* bytes per second that loads and stores of a triad move, in the first and second level of
       cache, and in memory */
    double first_bytes, second_bytes, memory_bytes;
};

/* Measures for about a second. Returns false if threads or memory are short. */
bool peaks_measure(struct peaks *peaks);

#endif
