/* Files that the runtime appends lines to for the user: logs and reports.
 *
 * Writes cannot end the process: a file size limit and a pipe without a reader are errors, not
 * signals (file_limit.h). If the program closed the descriptor, the file is opened again by its
 * path. A file of the program that now has the same number is not touched. */
#ifndef GEO_BASE_OUTPUT_H
#define GEO_BASE_OUTPUT_H

#include "base/fd.h"
#include "base/lock.h"
#include "base/path.h"

#include <stdbool.h>
#include <stddef.h>

struct geo_output {
    char path[GEO_PATH_BYTES]; /* absolute; "": standard error */
    struct geo_fd file;
    struct geo_object_lock lock; /* protects `file` */
};

/* Creates or truncates a file for writing and returns its descriptor. Never waits for the reader of
 * a pipe. Returns -1 and sets errno on failure. */
int geo_output_create(const char *path);

/* Writes a file with these bytes, replacing its content. Returns false and sets errno when not all
 * bytes were written. */
bool geo_output_file(const char *path, const void *bytes, size_t count);

/* Opens or creates the file for appending. NULL or "" selects standard error. On failure returns
 * false, sets errno, and the output uses standard error. */
bool geo_output_open(struct geo_output *output, const char *path);

/* Writes all bytes with one write(2), so that lines of several threads and processes stay whole.
 * Returns false when the system did not accept all of them. */
bool geo_output_write(struct geo_output *output, const void *bytes, size_t count);

#endif
