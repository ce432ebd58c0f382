/* The two places where a build runs: a thread of this process, or a child process. compiler.c
 * chooses. */
#ifndef GEO_COMPILER_FACADE_SERVICE_H
#define GEO_COMPILER_FACADE_SERVICE_H

#include "base/strbuf.h"
#include "compiler/facade/message.h"

/* Builds on a new thread with 256 MiB of stack, or on the caller's thread if none can be created.
 * Always fills the answer. Returns false if the build was left inside LLVM (it failed, or memory or
 * time ran out): LLVM must not be used in this process again. */
bool geo_thread_build(struct geo_order *order, struct geo_answer *answer);

/* `geo_thread_builds` returns the number of builds on threads of this process.
 * `geo_thread_after_fork` resets it in the child of a fork, where those threads do not exist. */
unsigned geo_thread_builds(void);
void geo_thread_after_fork(void);

/* Builds in a child process, an idle one or a new one. Kills a child that does not answer within
 * GEO_JOB_WALL_FACTOR times the order's seconds. Returns false, with the reason in the log and no
 * answer, if no child can be started. */
bool geo_children_build(const struct geo_order *order, struct geo_answer *answer,
                        struct geo_strbuf *log);

/* Lock and unlock the list of children. geo_children_after_fork empties it in the child of a
 * fork. */
void geo_children_lock(void);
void geo_children_unlock(void);
void geo_children_after_fork(void);

/* The descriptor of the child's end of its lifeline, a pipe. The child is killed when the caller's
 * end closes. */
#define GEO_CHILD_LIFELINE 3

/* Serves orders from the socket until it is closed, then ends the process. Called by
 * process/helper.c. Returns only if it cannot start. */
int geo_compiler_serve(int socket);

#endif
