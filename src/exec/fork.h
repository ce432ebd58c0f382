/* The host runtime and fork: work in flight stays the parent's; in the child streams are empty,
 * executors without threads, and everything is usable. */
#ifndef GEO_EXEC_FORK_H
#define GEO_EXEC_FORK_H

/* Once per process; again is harmless. Before the first executor is made. */
void geo_exec_open(void);

#endif
