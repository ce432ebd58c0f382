/* Decides how many participants a job of contended memory has. Threads that change the same words
 * by atomics move cache lines from core to core, so a job can take longer on sixteen cores than on
 * one. That depends on the data of a kernel, so it is measured.
 *
 * A run is a job, or a part of a long one. Most runs have the best number of participants that is
 * known: at first all. Now and then a run is a trial with another number: one, half, twice as many,
 * or all. Cache lines move when the number changes, so a trial has two runs of which the second
 * counts, and the first run after a trial does not count either. A number that is faster in two
 * trials becomes the best. The next trials follow soon after a change. Later ones become rare, and
 * a trial ends early when it cannot win. So a job that scales loses little, and data that change
 * are noticed.
 *
 * The times are given by the caller, so this file reads no clock. */
#ifndef GEO_EXEC_JOB_CONTENTION_H
#define GEO_EXEC_JOB_CONTENTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GEO_CONTENTION_SIZES 8u   /* jobs of units within a factor of 16 share what is known */
#define GEO_CONTENTION_FIRST 2u   /* runs before the first trial, and after a change */
#define GEO_CONTENTION_LAST  256u /* most runs between two trials */

/* Measurements of jobs of similar size. All but `best` belongs to the run that holds it. */
struct geo_contention_size {
    _Atomic uint32_t best; /* number of participants; 0: all */
    uint32_t until;        /* runs until the next trial */
    uint32_t pause;        /* runs between trials */
    uint32_t turn;         /* says which number of participants the next trial has */
    uint32_t wins;         /* trials in a row that this number has won */
    bool tried;            /* the next run is the second of a trial */
    bool returned;         /* the next run is the first after a trial */
    double unit_ns;        /* time of a run per unit, with the best number; 0: unknown */
};

/* Measurements of a kernel. Zeroed: none yet. Launches of several threads may use it at once. */
struct geo_contention {
    _Atomic bool held; /* a run is being measured; others at the same time are not */
    struct geo_contention_size sizes[GEO_CONTENTION_SIZES];
};

/* A run: between geo_contention_begin and geo_contention_end. */
struct geo_contention_run {
    struct geo_contention *contention; /* that is held; NULL: the run is not measured */
    struct geo_contention_size *size;
    uint32_t limit; /* most participants; 1 <= limit <= all */
    uint32_t best;  /* most participants once a trial is lost */
    uint32_t all;
    uint32_t until; /* runs until the next trial, without this one; UINT32_MAX: unknown */
    double unit_ns; /* time per unit that is expected with `best`; 0: unknown */
    bool trial;
    bool lost; /* the trial was given up */
};

/* Begins a run of a job of `units`, which may have `all` participants. */
struct geo_contention_run geo_contention_begin(struct geo_contention *contention, uint32_t all,
                                               uint64_t units);

/* Returns whether the run is a trial that cannot win, after `ns` with `done` of its `units`. The
 * run then goes on with `best` participants, and later calls return false. */
bool geo_contention_gives_up(struct geo_contention_run *run, uint64_t ns, uint64_t done,
                             uint64_t units);

/* Ends a run that took `ns` for `units`. units 0: it did not run as planned, and says nothing. */
void geo_contention_end(struct geo_contention_run *run, uint64_t ns, uint64_t units);

#endif
