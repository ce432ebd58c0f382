/* A program that runs the rows of table.h in its own way: through Level Zero, through OpenCL, as
 * loops in C. All take the same words:
 *
 *   PROGRAM kernels [PATTERN...]   rows that match (all), "kernel NAME MEDIAN LEAST", milliseconds
 *   PROGRAM maths [PATTERN...]     the same for built-in functions
 *   PROGRAM list                   all rows, "kernels NAME" or "maths NAME"
 *   PROGRAM serve                  commands on standard input, an answer for each:
 *       open NAME      "opened MS DIGEST...", the first launch, on fresh data: its time and what
 *                      it left in memory; or "none"
 *       time LEAST MS  "times MS...": at least LEAST launches, and more until MS have passed
 *       close          "closed"
 *
 * GEOID_BENCH_CLOCK=cpu makes times those of the processor, of all threads, for comparisons on one
 * core of a machine that does other things too.
 *
 * scripts/bench serves several of them and lets them run in turn. */
#ifndef GEOID_BENCH_PEER_H
#define GEOID_BENCH_PEER_H

#include <stdbool.h>

#include "table.h"

struct bench_peer {
    void *self;
    /* Prepares the kernel and fills its memory. Returns false if the peer lacks this row. */
    bool (*open)(void *self, const struct bench_row *row);
    double (*launch)(void *self); /* and wait; milliseconds */
    void (*read)(void *self, size_t arg, void *to, size_t bytes);
    void (*close)(void *self);
};

/* Runs the commands in the arguments. Returns the exit status of the program. */
int bench_peer_main(const struct bench_peer *peer, int argc, char **argv);

/* The file of that name beside the running program; it ends the program when that does not fit. */
void bench_beside_program(const char *file, char *path, size_t size);

#endif
