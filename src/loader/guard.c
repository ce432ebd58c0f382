/* Runs an initialisation in a thread that may be abandoned. See guard.h.
 *
 * The thread works on a copy of the library's record. Under the attempt's lock it either finishes
 * in time, and its results are copied to the record, or it is abandoned, and its results stay in
 * the copy. A thread that returns late undoes its results. The attempt is never freed then, like
 * the record, so that both still exist in a child of fork, where the thread does not. */
#include "loader/guard.h"

#include "base/assert.h"
#include "base/log.h"
#include "base/option.h"
#include "loader/state/state.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TIMEOUT_MAX_MS 86400000u

struct attempt {
    struct geo_guard_work work;
    struct geo_library copy; /* owns its reason and the lists of the initialised sides */
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool done, left; /* protected by `lock` */
    struct attempt *next;
};

static struct attempt *attempts_left; /* abandoned attempts; protected by the loader's lock */

static void work_do(struct geo_library *library, const struct geo_guard_work *work)
{
    if (work->core) {
        geo_library_init_core(library);
    }
    if (work->sysman) {
        geo_library_init_sysman(library, work->flags);
    }
    if (work->list) {
        geo_library_init_list_sysman(library);
    }
}

static bool touches_sysman(const struct geo_guard_work *work)
{
    return work->sysman || work->list;
}

static void copy_finish(struct attempt *attempt)
{
    free(attempt->copy.reason);
    free(attempt->work.core ? attempt->copy.core.items : NULL);
    free(touches_sysman(&attempt->work) ? attempt->copy.sysman.items : NULL);
    attempt->copy.reason = NULL;
    attempt->copy.core.items = attempt->copy.sysman.items = NULL;
}

static void attempt_destroy(struct attempt *attempt)
{
    copy_finish(attempt);
    pthread_cond_destroy(&attempt->ended);
    pthread_mutex_destroy(&attempt->lock);
    free(attempt);
}

static void *attempt_run(void *argument)
{
    struct attempt *attempt = argument;
    pthread_mutex_lock(&attempt->lock);
    GEO_ASSERT(!attempt->done);
    bool left = attempt->left;
    if (!left) {
        geo_loader_guest_begin();
    }
    pthread_mutex_unlock(&attempt->lock);
    if (!left) {
        work_do(&attempt->copy, &attempt->work);
    }
    pthread_mutex_lock(&attempt->lock);
    left = attempt->left;
    attempt->done = true;
    pthread_cond_signal(&attempt->ended);
    pthread_mutex_unlock(&attempt->lock);
    if (left) {
        copy_finish(attempt);
    }
    return NULL;
}

static void side_begin(struct geo_drivers *side, bool worked_on)
{
    if (worked_on) {
        side->items = NULL;
        side->count = side->capacity = 0;
    }
}

static struct attempt *attempt_create(const struct geo_library *library,
                                      const struct geo_guard_work *work)
{
    struct attempt *attempt = calloc(1, sizeof(*attempt));
    if (!attempt) {
        return NULL;
    }
    attempt->work = *work;
    attempt->copy = *library;
    attempt->copy.reason = library->reason ? strdup(library->reason) : NULL;
    side_begin(&attempt->copy.core, work->core);
    side_begin(&attempt->copy.sysman, touches_sysman(work));
    pthread_mutex_init(&attempt->lock, NULL);
    pthread_cond_init(&attempt->ended, NULL);
    return attempt;
}

/* Waits for the thread. Returns false when it was not ready in time and is now abandoned. */
static bool attempt_wait(struct attempt *attempt, uint64_t timeout_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(timeout_ms / 1000);
    until.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    int error = 0;
    pthread_mutex_lock(&attempt->lock);
    while (!attempt->done && error == 0) {
        error = pthread_cond_clockwait(&attempt->ended, &attempt->lock, CLOCK_MONOTONIC, &until);
    }
    bool done = attempt->done;
    GEO_ASSERT(!attempt->left); /* decided once */
    attempt->left = !done;
    geo_loader_guest_end();
    pthread_mutex_unlock(&attempt->lock);
    return done;
}

/* Moves the results of a completed attempt to the library's record. */
static void attempt_adopt(struct geo_library *library, struct attempt *attempt)
{
    GEO_ASSERT(attempt->done && !attempt->left && !library->abandoned);
    if (attempt->work.core) {
        free(library->core.items);
        library->core = attempt->copy.core;
        library->ddi_handles = attempt->copy.ddi_handles;
        library->survives_exit = attempt->copy.survives_exit;
        attempt->copy.core.items = NULL;
    }
    if (touches_sysman(&attempt->work)) {
        free(library->sysman.items);
        library->sysman = attempt->copy.sysman;
        attempt->copy.sysman.items = NULL;
    }
    free(library->reason);
    library->reason = attempt->copy.reason;
    attempt->copy.reason = NULL;
    GEO_ASSERT(geo_library_is_valid(library));
}

static void side_abandon(struct geo_drivers *side, bool worked_on)
{
    if (worked_on) {
        free(side->items);
        *side = (struct geo_drivers){.result = ZE_RESULT_NOT_READY};
    }
}

/* Marks a library as abandoned. Drivers that it listed earlier stay listed, because programs have
 * their handles. */
static void library_leave(struct geo_library *library, const struct geo_guard_work *work)
{
    library->abandoned = "its initialisation did not end in the time of GEOID_DRIVER_INIT_TIMEOUT";
    side_abandon(&library->core, work->core);
    side_abandon(&library->sysman, touches_sysman(work));
    GEO_ASSERT(geo_library_is_valid(library));
    geo_log("loader", GEO_LOG_WARN, "%s is left out: %s", library->path, library->abandoned);
}

uint64_t geo_guard_timeout_ms(void)
{
    return geo_option_number("GEOID_DRIVER_INIT_TIMEOUT", 0, TIMEOUT_MAX_MS);
}

void geo_guard_init(struct geo_library *library, const struct geo_guard_work *work)
{
    GEO_ASSERT(geo_loader_lock_held() && geo_library_is_valid(library) && !library->abandoned);
    struct geo_guard_work needed = *work;
    needed.core &= !library->core.initialized;
    needed.sysman &= !library->sysman.initialized;
    needed.list &= needed.sysman || geo_library_is_unlisted(library);
    pthread_t thread;
    if (work->timeout_ms == 0 || !library->open || !(needed.core || touches_sysman(&needed))) {
        work_do(library, &needed);
        return;
    }
    struct attempt *attempt = attempt_create(library, &needed);
    if (!attempt || pthread_create(&thread, NULL, attempt_run, attempt) != 0) {
        geo_log("loader", GEO_LOG_WARN,
                "%s: no thread could be started, so it is initialised without a time limit",
                library->path);
        if (attempt) {
            attempt_destroy(attempt);
        }
        work_do(library, &needed);
        return;
    }
    if (attempt_wait(attempt, work->timeout_ms)) {
        pthread_join(thread, NULL);
        attempt_adopt(library, attempt);
        attempt_destroy(attempt);
    } else {
        pthread_detach(thread);
        attempt->next = attempts_left;
        attempts_left = attempt;
        library_leave(library, &needed);
    }
}
