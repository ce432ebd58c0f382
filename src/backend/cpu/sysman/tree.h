/* The system's files below a folder that stands for "/": a recorded machine, or the real one. Reads
 * and writes values, lists names, reads lines.
 *
 * The files are untrusted and may be missing, unreadable or special files. Pipes are never waited
 * for, and every read has a bound. No descriptor stays open between two calls, because a program
 * may close all descriptors or fork at any time.
 *
 * Results: DEVICE_LOST: the file does not exist. INSUFFICIENT_PERMISSIONS. NOT_AVAILABLE: the
 * system does not return or accept the value at present. OUT_OF_HOST_MEMORY. UNKNOWN: not a regular
 * file, or an invalid value. `why` gets the file and the reason; it may be NULL. */
#ifndef GEO_BACKEND_CPU_SYSMAN_TREE_H
#define GEO_BACKEND_CPU_SYSMAN_TREE_H

#include "base/arena.h"
#include "base/strbuf.h"

#include <level_zero/ze_api.h>

#include <stdbool.h>
#include <stdint.h>

#define GEO_TREE_PATH  512u  /* maximum path length with the terminator */
#define GEO_TREE_VALUE 256u  /* maximum length of a value */
#define GEO_TREE_NAMES 4096u /* maximum number of names read from a folder */

struct geo_tree {
    char root[GEO_TREE_PATH]; /* "": the real machine */
};

/* A path below the root, starting with "/". It is empty, and thus names no file, when it would be
 * too long. */
struct geo_tree_path {
    char text[GEO_TREE_PATH];
};
struct geo_tree_path geo_tree_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Sets the root; NULL: "/". Returns false when it is too long. */
bool geo_tree_init(struct geo_tree *tree, const char *root);

/* geo_tree_starved returns whether this thread ran out of memory or descriptors since it called
 * geo_tree_feed. If so, files that seemed missing may exist. The functions of this file record the
 * shortage; other code that reads such files calls geo_tree_starve to record it. */
void geo_tree_feed(void);
void geo_tree_starve(void);
bool geo_tree_starved(void);

/* Reads a value as text, without the newline at its end. */
ze_result_t geo_tree_text(const struct geo_tree *tree, const char *path, char *text, size_t size,
                          struct geo_strbuf *why);
/* Reads a decimal number. Any other content is an error. */
ze_result_t geo_tree_number(const struct geo_tree *tree, const char *path, int64_t *number,
                            struct geo_strbuf *why);
/* Reads a decimal number, or sets *number to `fallback` when the file does not exist. */
ze_result_t geo_tree_number_or(const struct geo_tree *tree, const char *path, int64_t fallback,
                               int64_t *number, struct geo_strbuf *why);
/* For descriptions, whose values may be unknown. geo_tree_text_known reads a text and returns false
 * on an error; `text` is unchanged then. geo_tree_known returns a number, or `fallback` on any
 * error. */
bool geo_tree_text_known(const struct geo_tree *tree, const char *path, char *text, size_t size);
int64_t geo_tree_known(const struct geo_tree *tree, const char *path, int64_t fallback);
/* Reads the first bytes of a file, at most `size`. */
ze_result_t geo_tree_bytes(const struct geo_tree *tree, const char *path, void *bytes, size_t size,
                           size_t *length, struct geo_strbuf *why);

/* Write a value and replace the old one. */
ze_result_t geo_tree_write(const struct geo_tree *tree, const char *path, const char *text,
                           struct geo_strbuf *why);
ze_result_t geo_tree_write_number(const struct geo_tree *tree, const char *path, int64_t number,
                                  struct geo_strbuf *why);

/* Return whether a file exists, and whether the system accepts a value there from a privileged
 * process. */
bool geo_tree_has(const struct geo_tree *tree, const char *path);
bool geo_tree_settable(const struct geo_tree *tree, const char *path);

/* The names in a folder that start with `prefix`, in the arena. Numbers in names are ordered by
 * value ("hwmon10" after "hwmon9"). Names with characters other than printable ASCII are left out.
 * Returns false when memory or descriptors ran out. A missing folder is empty. */
struct geo_tree_names {
    const char **names;
    uint32_t count;
};
bool geo_tree_list(const struct geo_tree *tree, const char *folder, const char *prefix,
                   struct geo_arena *arena, struct geo_tree_names *out);

/* Returns a bit mask of the numbers below 64 in names that consist of the prefix and a number. */
uint64_t geo_tree_numbers(const struct geo_tree *tree, const char *folder, const char *prefix);

/* Reads a file line by line. Lines and files that exceed their bounds are cut. */
#define GEO_TREE_LINE 1024u
struct geo_tree_lines {
    int fd;
    size_t begin, end, read;
    bool ended;
    char text[2 * GEO_TREE_LINE];
};
ze_result_t geo_tree_lines_open(struct geo_tree_lines *lines, const struct geo_tree *tree,
                                const char *path, struct geo_strbuf *why);
/* Returns the next line without its end, valid until the next call, or NULL at the end. */
char *geo_tree_lines_next(struct geo_tree_lines *lines);
void geo_tree_lines_close(struct geo_tree_lines *lines);

#endif
