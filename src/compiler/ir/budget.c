/* Budget of one build: its limits of work and time. See budget.h. */
#include "compiler/ir/budget.h"

#include <stdio.h>
#include <time.h>

#define WORK_PER_SECOND (UINT64_C(1) << 25) /* units that take about a second on a slow machine */
#define WORK_PER_LOOK   (UINT64_C(1) << 20) /* units between two readings of the clock */

_Thread_local struct geo_budget *geo_budget_current;

static uint64_t time_used_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void geo_budget_init(struct geo_budget *budget, uint64_t seconds)
{
    bool bounded = seconds && seconds < UINT64_MAX / WORK_PER_SECOND;
    *budget = (struct geo_budget){.seconds = bounded ? seconds : 0,
                                  .work_limit = bounded ? seconds * WORK_PER_SECOND : UINT64_MAX,
                                  .next_look = WORK_PER_LOOK,
                                  .stage = "the beginning"};
    pthread_mutex_init(&budget->place_lock, NULL);
}

void geo_budget_finish(struct geo_budget *budget)
{
    pthread_mutex_destroy(&budget->place_lock);
}

void geo_budget_begin(struct geo_budget *budget)
{
    budget->start_ns = time_used_ns();
    geo_budget_current = budget;
}

void geo_budget_end(void)
{
    geo_budget_current = NULL;
}

/* Checks both limits: units may be slow, and a module may need many fast ones. */
bool geo_budget_look(struct geo_budget *budget)
{
    if (budget->work > budget->work_limit && budget->end == GEO_BUDGET_LEFT) {
        budget->end = GEO_BUDGET_WORK;
    }
    if (budget->seconds && budget->end == GEO_BUDGET_LEFT &&
        (time_used_ns() - budget->start_ns) / 1000000000u >= budget->seconds) {
        budget->end = GEO_BUDGET_TIME;
    }
    bool left = budget->end == GEO_BUDGET_LEFT;
    /* 0: every later call of geo_budget_spend comes here */
    budget->next_look = left ? budget->work + WORK_PER_LOOK : 0;
    return left;
}

bool geo_budget_left(void)
{
    return !geo_budget_current || geo_budget_current->end == GEO_BUDGET_LEFT;
}

bool geo_budget_ask(void)
{
    return !geo_budget_current || geo_budget_look(geo_budget_current);
}

void geo_budget_at(const char *stage, const char *function)
{
    struct geo_budget *budget = geo_budget_current;
    if (budget) {
        pthread_mutex_lock(&budget->place_lock);
        budget->stage = stage;
        snprintf(budget->function, sizeof(budget->function), "%s", function ? function : "");
        pthread_mutex_unlock(&budget->place_lock);
    }
}

const char *geo_budget_place(struct geo_budget *budget, char *buffer, size_t size)
{
    pthread_mutex_lock(&budget->place_lock);
    const char *name = budget->function;
    snprintf(buffer, size, "in %s%s%s%s", budget->stage, name[0] ? ", function \"" : "", name,
             name[0] ? "\"" : "");
    pthread_mutex_unlock(&budget->place_lock);
    return buffer;
}
