/* Files that lines are appended to on the user's behalf: logs and reports.
 *
 * Writing harms nobody: a limit on file sizes and a pipe that nobody reads are errors, not signals
 * (file_limit.h). A file whose descriptor the program has closed is opened again by its path; the
 * program's own file under that number is left alone. */
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
    struct geo_object_lock lock; /* of the descriptor */
};

/* Opens a file to be written from its beginning, which is made where it is not there. Never waits
 * for the reader of a pipe. -1 with errno. */
int geo_output_create(const char *path);

/* Writes such a file with these bytes. False with errno when it has not got all of them. */
bool geo_output_file(const char *path, const void *bytes, size_t count);

/* Opens the file, which is made where it is not there. NULL or "": standard error. False with errno
 * when it cannot be opened: it is standard error then. */
bool geo_output_open(struct geo_output *output, const char *path);

/* Writes all bytes with one write(2), so that lines of several threads and processes stay whole.
 * False when the system did not take all of them. */
bool geo_output_write(struct geo_output *output, const void *bytes, size_t count);

#endif
