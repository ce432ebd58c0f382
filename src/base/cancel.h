/* Holds off pthread_cancel while a thread of the program is inside the runtime. Files, waits and
 * host functions of the program are cancellation points. A thread that ended there would keep
 * locks, descriptors and the command that it runs. A cancellation takes effect after the call, at
 * the next cancellation point of the program.
 *
 * The generated entries of drivers, of the loader's own functions and of layers that watch a call
 * have a hold. A hold costs 5 to 20 ns, so the registry calls some functions `hot`, and their
 * entries have none. Cancellation points that a hot function may reach have holds of their own:
 * logs, reports and printf (file_limit.h), host functions, semaphores, wake-ups of the reactor. */
#ifndef GEO_BASE_CANCEL_H
#define GEO_BASE_CANCEL_H

#include <pthread.h>

/* Holds off cancellation of the calling thread. Returns the previous state, for geo_cancel_restore.
 * Holds nest. */
static inline int geo_cancel_hold(void)
{
    int state = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    return state;
}

static inline void geo_cancel_restore(int state)
{
    pthread_setcancelstate(state, NULL);
}

static inline void geo_cancel_leave(const int *state)
{
    geo_cancel_restore(*state);
}

/* Holds cancellation off until the end of the block. */
#define GEO_CANCEL_HOLD                                                                            \
    __attribute__((cleanup(geo_cancel_leave), unused)) const int geo_cancel_state =                \
        geo_cancel_hold()

#endif
