/* Programs in processes of their own, watched: what crashes or hangs ends them and nothing else. */
#ifndef TESTS_MODEL_WATCH_H
#define TESTS_MODEL_WATCH_H

#include "run.h"

struct options {
    const char *command; /* how this program was called */
    const char *driver;
    uint64_t seed, count, step;
    uint32_t patience_s; /* without any progress: a hang */
    uint32_t jobs, failures;
    bool starve, reduce, print;
    const char *only; /* operations, NULL: all */
};

enum ending { ENDED_WELL, ENDED_LOST, ENDED_WRONG, ENDED_CRASHED, ENDED_HUNG, ENDED_SETUP };

/* The programs of the seeds from report->seed up to `end`, in steps, until one does not end well or
 * loses its device; report->seed is that one's. */
enum ending watch_seeds(const struct options *options, struct report *report, uint64_t end);

/* One program, not settled yet, `times` times at most. */
enum ending watch_program(const struct options *options, struct report *report,
                          const struct program *program, uint32_t times, uint32_t patience_s);

/* Leaves out what the failure does not need. `program` is not settled, before and after. */
void reduce_program(const struct options *options, struct report *report, struct program *program);

#endif
