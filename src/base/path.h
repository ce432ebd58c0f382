/* Absolute paths that stay valid when the program changes its working folder.
 *
 * A library reads options and opens files long after it was loaded. A relative path is resolved
 * against the working folder at load time, because that is what the user meant. */
#ifndef GEO_BASE_PATH_H
#define GEO_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#define GEO_PATH_BYTES 4096u

/* Returns the working folder at the time this library was loaded, or "" when it is unknown. */
const char *geo_path_folder(void);

/* Sets the folder that relative paths are resolved against. A library that another one loads late
 * uses it. "" changes nothing. */
void geo_path_set_folder(const char *path);

/* Returns true when the process has changed its root folder (chroot) since this library was loaded.
 * Absolute paths then name other files. */
bool geo_path_root_changed(void);

/* Writes `path` as an absolute path. Returns false when it does not fit into `size` bytes. */
bool geo_path_absolute(const char *path, char *out, size_t size);

/* Returns the first `length` bytes of `path` as an absolute path, which the caller frees. Returns
 * NULL when memory ran out. */
char *geo_path_copy(const char *path, size_t length);

/* Returns the absolute path of the library that contains `address`. If `entry` is not NULL, returns
 * the path of that entry in the library's folder. The caller frees the path. Returns NULL when the
 * path is unknown or memory ran out. */
char *geo_path_beside(const void *address, const char *entry);

/* Returns a formatted path, or any text, which the caller frees; NULL: no memory. */
char *geo_path_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
