/* Streams around fork; their operations are geo_host_stream_ops. */
#ifndef GEO_EXEC_STREAM_H
#define GEO_EXEC_STREAM_H

void geo_streams_before_fork(void);
void geo_streams_after_fork_parent(void);

/* In the child: every stream is empty and idle. After geo_pool_after_fork. */
void geo_streams_after_fork(void);

#endif
