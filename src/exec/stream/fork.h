/* Makes fork safe for the host runtime. Work in flight stays with the parent. In the child, streams
 * are empty, executors have no threads, and everything is usable. */
#ifndef GEO_EXEC_STREAM_FORK_H
#define GEO_EXEC_STREAM_FORK_H

/* Registers the handlers of fork, before the first executor is created. Further calls have no
 * effect. */
void geo_exec_open(void);

#endif
