/* The collector's file of this process (tools/zetrace/record.h): records are appended by any thread
 * without a lock, except once for every chunk. */
#ifndef TOOLS_ZETRACE_SPOOL_H
#define TOOLS_ZETRACE_SPOOL_H

#include "tools/zetrace/record.h"

#include <stddef.h>

/* Returns the time in nanoseconds of the trace's clock. */
uint64_t spool_now(void);

/* Returns the system's number of the calling thread (gettid). */
uint32_t spool_thread(void);

/* Appends a record and fills its head; the size is rounded up. The first record opens the file. If
 * no space is left, the record is dropped, and a line on standard error says so once. */
void spool_write(enum zetrace_type type, uint32_t id, void *record, size_t size);

/* A name, and its number. */
void spool_name(enum zetrace_kind kind, uint32_t id, const char *text);

/* Writes a line to standard error, which may be anything. */
void spool_tell(const char *text);

/* Called in the child of a fork: forgets the file and its chunks, which belong to the parent. */
void spool_forked(void);

#endif
