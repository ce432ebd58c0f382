/* A peer (peer.h) that computes rows with loops in C. A function computes a part of a row's work.
 * loops.c calls it from one thread for each processor that the process may use. */
#ifndef GEOID_BENCH_LOOPS_H
#define GEOID_BENCH_LOOPS_H

#include "table.h"

struct bench_call {
    const struct bench_row *row;
    void *memory[BENCH_ARGS];   /* of buffers */
    uint32_t value[BENCH_ARGS]; /* of the others */
};

/* The parts into which the work of a row is divided. Parts run in any order. */
enum bench_parts {
    PARTS_GROUPS, /* groups of a line */
    PARTS_ROWS,   /* rows of a plane: the second dimension's items */
    PARTS_PLANES, /* planes of a volume: the third's */
};

struct bench_loop {
    const char *kernel;
    enum bench_parts parts;
    void (*run)(const struct bench_call *call, size_t first, size_t end);
};

/* Families of loops; the first that has a kernel has it. */
struct bench_loops {
    const struct bench_loop *loops;
    size_t count;
};

/* bench_peer_main for these. */
int bench_loops_main(const struct bench_loops *families, size_t count, int argc, char **argv);

#endif
