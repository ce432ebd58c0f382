/* Where builds run: a thread of this process, or a child process. compiler.c chooses. */
#ifndef GEO_COMPILER_FACADE_SERVICE_H
#define GEO_COMPILER_FACADE_SERVICE_H

#include "base/strbuf.h"
#include "compiler/facade/message.h"

/* Builds on a thread of its own with 256 MiB of stack, on the caller's where none can be made.
 * False: LLVM was left in the middle (it gave up, memory or time ended), and nobody may rely on it
 * in this process any more. The answer is filled either way. */
bool geo_thread_build(struct geo_order *order, struct geo_answer *answer);

/* How many builds are on threads of this process. After a fork those of the parent are gone, in the
 * middle of what they did. */
unsigned geo_thread_builds(void);
void geo_thread_after_fork(void);

/* Builds in a child process, one that is idle or a new one, and kills one that does not answer in
 * GEO_JOB_WALL_FACTOR times the order's seconds. False, with the reason in the log, when
 * there is none to be had: the answer is not filled then. */
bool geo_child_build(const struct geo_order *order, struct geo_answer *answer,
                     struct geo_strbuf *log);

/* The lock of the list of children, and its end in the child of a fork. */
void geo_children_lock(void);
void geo_children_unlock(void);
void geo_children_after_fork(void);

/* What ends a child when its caller lets go: a pipe, at this descriptor of the child's. */
#define GEO_CHILD_LIFELINE 3

/* The child's side (process/helper.c): serves orders that come over the socket until it is closed,
 * which ends the process. Returns only where it cannot begin. */
int geo_compiler_serve(int socket);

#endif
