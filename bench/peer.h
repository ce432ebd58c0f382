/* A peer is a program that runs the rows of table.h in its own way: through Level Zero, through
 * OpenCL, as loops in C. All peers take the same arguments:
 *
 *   PROGRAM kernels [PATTERN...]   runs matching rows, or all; prints "kernel NAME MEDIAN LEAST"
 *                                  in milliseconds
 *   PROGRAM second [PATTERN...]    the same for the second set of kernels
 *   PROGRAM maths [PATTERN...]     the same for built-in functions
 *   PROGRAM list                   prints all rows: "kernels NAME", "second NAME" or "maths NAME"
 *   PROGRAM serve                  reads commands from standard input and answers each:
 *       open NAME      "opened MS DIGEST...": the time of a first launch on fresh data, and a
 *                      summary of its results; or "none" if the peer lacks the row
 *       time LEAST MS  "times MS...": the times of at least LEAST launches, and of more until MS
 *                      have passed
 *       close          "closed"
 *
 * With GEOID_BENCH_CLOCK=cpu, times are processor times of all threads. This allows comparisons on
 * one core of a machine that does other work, too.
 *
 * scripts/bench starts several peers with `serve` and lets them take turns. */
#ifndef GEOID_BENCH_PEER_H
#define GEOID_BENCH_PEER_H

#include <stdbool.h>

#include "table.h"

struct bench_peer {
    void *self;
    /* Prepares the kernel and fills its memory. Returns false if the peer lacks this row. */
    bool (*open)(void *self, const struct bench_row *row);
    double (*launch)(void *self); /* launches and waits; returns milliseconds */
    void (*read)(void *self, size_t arg, void *to, size_t bytes);
    void (*close)(void *self);
};

/* The main function of a peer: does what the program's arguments ask for (a table, list or
 * serve; see above) by the functions of `peer`. Returns the exit status of the program. */
int bench_peer_main(const struct bench_peer *peer, int argc, char **argv);

/* Writes the path of a file beside the running program. Ends the program if it is too long. */
void bench_beside_program(const char *file, char *path, size_t size);

#endif
