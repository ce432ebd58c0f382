/* What one build may use of work and time. A build that reaches the end of its budget fails, with
 * the reason and the place in its log, and the process goes on.
 *
 * The thread that builds has the budget; whoever works for it asks, at least once for each round of
 * a loop that hostile input can make long:
 *
 *     if (!geo_budget_spend(block_count)) {
 *         return <what this function returns without memory>;
 *     }
 *
 * A unit is one look at an instruction, block, edge or value: tens of nanoseconds. What is spent
 * depends on the module alone, so a build that fails for its work fails everywhere. Who passes the
 * failure on says nothing in the log and need not know of it: once at its end a budget stays there,
 * and the facade makes MODULE_BUILD_FAILURE with the reason of whatever came back.
 *
 *     geo_budget_at("sroa", name);    the place, for that reason: a stage and a function or NULL
 *
 * Without a budget (passes called by tests) there is no end. */
#ifndef GEO_COMPILER_IR_BUDGET_H
#define GEO_COMPILER_IR_BUDGET_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum geo_budget_reason {
    GEO_BUDGET_LEFT, /* not at its end */
    GEO_BUDGET_WORK,
    GEO_BUDGET_TIME,
};

struct geo_budget {
    uint64_t seconds, work_limit; /* of processor time; the work that stands for as much of it */
    uint64_t work, next_look;     /* spent; where the clock is asked again */
    uint64_t start_ns;            /* the thread's processor time when the build began */
    enum geo_budget_reason end;
    pthread_mutex_t place_lock; /* others may ask where a build is */
    const char *stage;
    char function[64];
};

/* The budget of the build that this thread is in; NULL: none. */
extern _Thread_local struct geo_budget *geo_budget_current;

/* seconds 0: no limit. */
void geo_budget_init(struct geo_budget *budget, uint64_t seconds);
void geo_budget_finish(struct geo_budget *budget);

/* The budget is this thread's until geo_budget_end; its clock begins. */
void geo_budget_begin(struct geo_budget *budget);
void geo_budget_end(void);

bool geo_budget_look(struct geo_budget *budget); /* the slow half of geo_budget_spend */

/* Spends units of work; false: the budget is at its end, the build has to fail. */
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

/* Whether it is at its end, without spending; with a look at the clock, between two calls of what
 * does not spend (LLVM). */
bool geo_budget_left(void);
bool geo_budget_ask(void);

/* Where the build is from now on. The stage is a constant; of a function's name a copy is kept. */
void geo_budget_at(const char *stage, const char *function);

/* "in sroa, function "name"", for messages; from any thread. */
const char *geo_budget_place(struct geo_budget *budget, char *buffer, size_t size);

#endif
