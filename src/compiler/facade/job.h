/* A build in the hands of the thread that runs it, from the order to the answer.
 *
 * It may end in the middle of LLVM: LLVM gives up, or memory ends, where no way leads back through
 * its frames. geo_job_leave answers from there, and whoever runs the job says what becomes of the
 * thread: it stays where it is for ever (thread.c), or its process ends (serve.c). Nothing that
 * LLVM had in hand is touched again. */
#ifndef GEO_COMPILER_FACADE_JOB_H
#define GEO_COMPILER_FACADE_JOB_H

#include "base/strbuf.h"
#include "compiler/facade/message.h"
#include "compiler/ir/budget.h"

#define GEO_JOB_STACK_BYTES ((size_t)256 << 20) /* of the thread that it runs on */

/* A build that takes no processor time waits for something that does not come: nobody waits for it
 * for longer than this many times what it may take. */
#define GEO_JOB_WALL_FACTOR 20u

struct geo_job {
    struct geo_order *order; /* referenced */
    struct geo_answer answer;
    struct geo_strbuf log;
    struct geo_budget budget;
    bool bounded;       /* memory ends where the order says, by a limit of the process */
    int64_t heap_bytes; /* what C++ has allocated in this build and not freed */
    void (*leave)(struct geo_job *job); /* with the answer filled; does not return */
};

/* The job that this thread is in; NULL: none. Its model gives all that the library has for each
 * thread room from the start: where the C library finds none later, it ends the process. */
extern _Thread_local __attribute__((tls_model("initial-exec"))) struct geo_job *geo_job_current;

/* Takes a reference of the order. */
void geo_job_init(struct geo_job *job, struct geo_order *order, void (*leave)(struct geo_job *job));
/* Also when it is not run; the answer stays the caller's. */
void geo_job_finish(struct geo_job *job);

/* Builds on this thread and fills the answer. */
void geo_job_run(struct geo_job *job);

enum geo_job_end {
    GEO_JOB_GAVE_UP,   /* LLVM; another effort may work */
    GEO_JOB_NO_MEMORY, /* there is none */
    GEO_JOB_BIG,       /* the build has used what it may */
};

/* Ends this thread's job where it stands. Returns only where there is none. */
void geo_job_leave(enum geo_job_end end, const char *detail);

/* How the limits of time end their messages: which one it was, its value, and how to raise it. */
#define GEO_JOB_TOO_LONG                                                                           \
    "it took too long: more than %llu s of processor time, the limit of GEOID_BUILD_TIME (0: no "  \
    "limit)"
#define GEO_JOB_TOO_LATE                                                                           \
    "it took too long: more than %llu s by the clock, %u times GEOID_BUILD_TIME (0: no limit)"

/* Writes which limit ended the build: its work or its processor time, as the budget says, or with
 * `by_clock` the time that passed. */
void geo_job_explain_end(struct geo_job *job, bool by_clock, struct geo_strbuf *log);

#endif
