/* Semaphores of other APIs, as a system without a GPU's kernel driver has them:
 *
 *   an eventfd                 binary, or counting (EFD_SEMAPHORE): a signal adds 1, a wait takes
 *   a word of a memory file    a timeline: a signal raises the value, a wait leaves it
 *                              (geoid/semaphore.h says what is in the file)
 *
 * Peers are not trusted: whatever they do to file or counter, nobody here waits but those streams
 * that wait for this semaphore, and no worker does. */
#ifndef GEO_EXEC_SEMAPHORE_H
#define GEO_EXEC_SEMAPHORE_H

#include "exec/runner.h"

/* As geo_semaphore_ops (backend/backend.h) say. */
ze_result_t geo_semaphore_import(ze_external_semaphore_ext_flag_t kind, int fd,
                                 struct geo_backend_semaphore **out);
void geo_semaphore_release(struct geo_backend_semaphore *semaphore);

/* Signals all of them. DEVICE_LOST when one is there no more, which the runner has been told of. */
ze_result_t geo_semaphores_signal(const struct geo_command_semaphores *command,
                                  const struct geo_runner *runner);

enum geo_semaphore_state {
    GEO_SEMAPHORE_PASSED,
    GEO_SEMAPHORE_MISSING, /* look again when *missing is reached */
    GEO_SEMAPHORE_GONE,    /* its descriptor is closed */
};

/* Waits without waiting. */
enum geo_semaphore_state geo_semaphore_take(const struct geo_semaphore_point *point,
                                            struct geo_event_ref *missing);

#endif
