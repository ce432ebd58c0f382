/* A peer (peer.h) that computes rows with loops in C. A function computes a part of a row's work.
 * loops.c calls it from one thread for each processor that the process may use. */
#ifndef GEOID_BENCH_LOOPS_H
#define GEOID_BENCH_LOOPS_H

#include "table.h"

struct bench_call {
    const struct bench_row *row;
    void *memory[BENCH_ARGS];   /* for arguments that are buffers */
    uint32_t value[BENCH_ARGS]; /* for other arguments */
};

/* The parts into which the work of a row is divided. Parts run in any order. */
enum bench_parts {
    PARTS_GROUPS, /* work-groups of a one-dimensional launch */
    PARTS_ROWS,   /* rows of a plane: items of the second dimension */
    PARTS_PLANES, /* planes of a volume: items of the third dimension */
};

struct bench_loop {
    const char *kernel;
    enum bench_parts parts;
    void (*run)(const struct bench_call *call, size_t first, size_t end);
};

/* A family of loops. If several families have a kernel, the first one is used. */
struct bench_loops {
    const struct bench_loop *loops;
    size_t count;
};

/* Calls bench_peer_main with a peer for these families. */
int bench_loops_main(const struct bench_loops *families, size_t count, int argc, char **argv);

#endif
