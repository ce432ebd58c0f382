/* Paths that stay what they were when the program changes its folder.
 *
 * A library reads options and finds its files long after it was loaded. A relative path means what
 * it meant when the library was loaded, for that is when the user wrote it. */
#ifndef GEO_BASE_PATH_H
#define GEO_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#define GEO_PATH_BYTES 4096u

/* The working folder when this library was loaded; "" where the system did not tell. */
const char *geo_path_folder(void);

/* Sets that folder, for a library that another one loads late; "" changes nothing. */
void geo_path_set_folder(const char *path);

/* Returns true when the process has another root folder (chroot) than when this library was loaded:
 * absolute paths mean something else now. */
bool geo_path_root_changed(void);

/* Writes the path, relative to that folder unless it is absolute. False when it is too long. */
bool geo_path_absolute(const char *path, char *out, size_t size);

/* Returns such a path of a part of a text, which the caller frees; NULL: no memory. */
char *geo_path_copy(const char *path, size_t length);

/* Returns the absolute path of the file that holds the address, a library of this process, with an
 * entry of its folder in place of its name unless `entry` is NULL. The caller frees it. NULL: the
 * path is not known, or there is no memory. */
char *geo_path_beside(const void *address, const char *entry);

/* Returns a formatted path, or any text, which the caller frees; NULL: no memory. */
char *geo_path_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
