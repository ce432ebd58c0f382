/* A job: one build on a thread, from the order to the answer.
 *
 * A build may end inside LLVM, when LLVM fails or memory runs out, and no return through its frames
 * is possible. There geo_job_leave fills the answer and calls the job's `leave`, which never
 * returns. The thread then blocks forever (thread.c), or its process ends (serve.c). LLVM's data of
 * that build is never touched again. */
#ifndef GEO_COMPILER_FACADE_JOB_H
#define GEO_COMPILER_FACADE_JOB_H

#include "base/strbuf.h"
#include "compiler/facade/message.h"
#include "compiler/ir/budget.h"
#include "compiler/ir/remark.h"

#define GEO_JOB_STACK_BYTES ((size_t)256 << 20) /* stack of the thread that runs the job */

/* Limit of elapsed time, as a multiple of the limit of processor time. A build that uses no
 * processor time waits for something that never happens. */
#define GEO_JOB_WALL_FACTOR 20u

/* A build that runs. It belongs to the code that started the thread, or serves the orders. */
struct geo_job {
    struct geo_order *order; /* holds a reference */
    struct geo_answer answer;
    struct geo_strbuf log;
    struct geo_budget budget;
    struct geo_remarks remarks; /* the forms that the order asks for */
    bool bounded;       /* memory_bytes of the order is enforced by a limit of the process */
    int64_t heap_bytes; /* bytes that C++ code has allocated in this build and not yet freed */
    void (*leave)(struct geo_job *job); /* called with the answer filled; does not return */
};

/* The job that this thread runs, or NULL. The initial-exec model reserves space for it, and for all
 * thread-local data of the library, when a thread starts. Space allocated later can fail, and then
 * the C library ends the process. */
extern _Thread_local __attribute__((tls_model("initial-exec"))) struct geo_job *geo_job_current;

/* Prepares a job and takes a reference to the order. */
void geo_job_init(struct geo_job *job, struct geo_order *order, void (*leave)(struct geo_job *job));
/* Releases a job, whether it has run or not. The answer stays the caller's. */
void geo_job_finish(struct geo_job *job);

/* Runs the build on this thread and fills the answer. */
void geo_job_run(struct geo_job *job);

/* Why a build was left. */
enum geo_job_end {
    GEO_JOB_GAVE_UP,   /* LLVM failed; another effort may work */
    GEO_JOB_NO_MEMORY, /* no memory is left */
    GEO_JOB_BIG,       /* the build exceeds its memory limit */
};

/* Ends this thread's job at this point. Returns only if the thread has no job. */
void geo_job_leave(enum geo_job_end end, const char *detail);

/* Ends of messages about time limits: the limit, its value, and how to raise it. */
#define GEO_JOB_TOO_LONG                                                                           \
    "it took too long: more than %llu s of processor time, the limit of GEOID_BUILD_TIME (0: no "  \
    "limit)"
#define GEO_JOB_TOO_LATE                                                                           \
    "it took too long: more than %llu s by the clock, %u times GEOID_BUILD_TIME (0: no limit)"

/* Writes which limit ended the build: work or processor time, as the budget says, or elapsed time
 * if `by_clock`. */
void geo_job_explain_end(struct geo_job *job, bool by_clock, struct geo_strbuf *log);

#endif
