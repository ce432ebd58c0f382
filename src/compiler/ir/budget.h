/* Budget of one build: limits of its work and its time. A build that exceeds its budget fails. Its
 * log then has the reason and the place; the process continues.
 *
 * The budget belongs to the thread that builds. Code that runs on this thread spends from it, at
 * least once per iteration of every loop that hostile input can make long:
 *
 *     if (!geo_budget_spend(block_count)) {
 *         return <what this function returns when memory runs out>;
 *     }
 *
 * One unit is one visit of an instruction, block, edge or value: tens of nanoseconds. The units
 * spent depend on the module alone, so a build that exceeds its work limit fails on every machine.
 * A function that propagates the failure logs nothing: an exceeded budget stays exceeded. The
 * facade turns any later result into MODULE_BUILD_FAILURE with the reason.
 *
 *     geo_budget_at("sroa", name);    the place for that reason: a stage, and a function or NULL
 *
 * A thread without a budget (a test that calls one pass) has no limits. */
#ifndef GEO_COMPILER_IR_BUDGET_H
#define GEO_COMPILER_IR_BUDGET_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which limit a build has exceeded. */
enum geo_budget_reason {
    GEO_BUDGET_LEFT, /* neither limit is exceeded */
    GEO_BUDGET_WORK,
    GEO_BUDGET_TIME,
};

/* The budget of one build. It belongs to the job (facade/job.h), and only its thread spends from
 * it. */
struct geo_budget {
    uint64_t seconds, work_limit; /* limit of processor time; the work that corresponds to it */
    uint64_t work, next_look;     /* units spent; units at which the clock is read next */
    uint64_t start_ns;            /* the thread's processor time when the build began */
    enum geo_budget_reason end;
    pthread_mutex_t place_lock; /* guards stage and function: other threads ask where a build is */
    const char *stage;
    char function[64];
};

/* The budget of the build that this thread runs, or NULL. */
extern _Thread_local struct geo_budget *geo_budget_current;

/* Sets the limit to `seconds` of processor time; 0 means no limit. */
void geo_budget_init(struct geo_budget *budget, uint64_t seconds);
/* Releases the lock of a budget that no thread uses any longer. */
void geo_budget_finish(struct geo_budget *budget);

/* Makes the budget this thread's until geo_budget_end, and starts its clock. */
void geo_budget_begin(struct geo_budget *budget);
/* Leaves this thread without a budget. */
void geo_budget_end(void);

/* The slow path of geo_budget_spend. Returns whether both limits, work and time, still hold. */
bool geo_budget_look(struct geo_budget *budget);

/* Spends units of work. Returns false when the budget is exceeded: the build has to fail. */
static inline bool geo_budget_spend(uint64_t units)
{
    struct geo_budget *budget = geo_budget_current;
    if (!budget) {
        return true;
    }
    if (__builtin_add_overflow(budget->work, units, &budget->work)) {
        budget->work = UINT64_MAX;
    }
    return budget->work < budget->next_look || geo_budget_look(budget);
}

/* Both return whether budget is left, without spending units. geo_budget_ask also reads the clock:
 * it is called between two calls into LLVM, which spends no units. */
bool geo_budget_left(void);
bool geo_budget_ask(void);

/* Records the place where the build is now. `stage` is a string constant; the function's name is
 * copied. */
void geo_budget_at(const char *stage, const char *function);

/* Writes the place ("in sroa, function "name"") into the buffer, for messages, and returns it. May
 * be called from any thread. */
const char *geo_budget_place(struct geo_budget *budget, char *buffer, size_t size);

#endif
