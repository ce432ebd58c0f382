/* Lines of source files. */
#ifndef ZEDBG_SOURCE_H
#define ZEDBG_SOURCE_H

#include <stdbool.h>

/* Adds a folder in which files are searched by their names. */
void source_folder_add(const char *folder);
/* Returns a line of a file without its end. NULL: the file does not have it. The text stays valid
 * until another folder is added. */
const char *source_line(const char *path, int line);
/* Returns the number of lines; 0: the file cannot be read. */
int source_lines(const char *path);
/* Returns the last part of a path. */
const char *source_name(const char *path);

#endif
