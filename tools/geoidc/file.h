/* Reads input files and writes output files. */
#ifndef GEOIDC_FILE_H
#define GEOIDC_FILE_H

#include "geoidc.h"

/* Bound on the size of an input. */
#define FILE_BYTES_MAX ((size_t)512 << 20)

/* The content of a file. `bytes` is from malloc, and a zero byte follows. */
struct file {
    uint8_t *bytes;
    size_t count;
};

/* Reads a file, or standard input if `path` is "-". Reports an error and returns false if it cannot
 * be read, is a folder, or has more than FILE_BYTES_MAX bytes. */
bool file_read(const char *path, struct file *out);
/* Writes a file, or standard output if `path` is "-". An existing file is replaced as a whole: if
 * something fails, it stays as it is, and no other file is left. Reports an error and returns
 * false then. */
bool file_write(const char *path, const void *bytes, size_t count);
void file_finish(struct file *file);

/* Returns the name of a file without folders and its last extension; malloc. */
char *file_trunk(const char *path);
/* Returns whether a name ends with an extension such as ".cl". */
bool file_has_extension(const char *path, const char *extension);

#endif
