/* Semaphores of other APIs, in the forms that a system without a GPU driver has:
 *
 *   an eventfd                 binary, or counting (EFD_SEMAPHORE): a signal adds 1, a wait takes
 *   a word of a memory file    a timeline: a signal raises the value, a wait leaves it
 *                              (geoid/semaphore.h describes the file)
 *
 * Peers are not trusted. Whatever they do to the file or the counter, only the streams that wait
 * for this semaphore are delayed, and no worker blocks. */
#ifndef GEO_EXEC_RECORD_SEMAPHORE_H
#define GEO_EXEC_RECORD_SEMAPHORE_H

#include "exec/record/runner.h"

/* Implement geo_semaphore_ops (backend/backend.h). */
ze_result_t geo_semaphore_import(ze_external_semaphore_ext_flag_t kind, int fd,
                                 struct geo_backend_semaphore **out);
void geo_semaphore_release(struct geo_backend_semaphore *semaphore);

/* Signals all points of the command. Returns DEVICE_LOST, after telling the runner, if the
 * descriptor of one was closed. */
ze_result_t geo_semaphores_signal(const struct geo_command_semaphores *command,
                                  const struct geo_runner *runner);

/* The result of trying to wait. */
enum geo_semaphore_state {
    GEO_SEMAPHORE_PASSED,
    GEO_SEMAPHORE_MISSING, /* not signalled yet: try again when *missing is reached */
    GEO_SEMAPHORE_GONE,    /* its descriptor was closed */
};

/* Tries to wait for a point without blocking. */
enum geo_semaphore_state geo_semaphore_take(const struct geo_semaphore_point *point,
                                            struct geo_event_ref *missing);

#endif
