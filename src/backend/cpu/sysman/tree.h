/* The system's files below a folder that stands for "/", a recorded machine or the real one: values
 * read and written whole, lists of names, lines.
 *
 * What is read here is text of unknown quality, and files may be anything, gone, or refused: pipes
 * are never waited for, nothing is read without a bound. Nothing stays open between two calls: a
 * program may close all descriptors, or fork, whenever it likes, and what is gone is noticed.
 *
 * Results: DEVICE_LOST: there is no such file; INSUFFICIENT_PERMISSIONS; NOT_AVAILABLE: the system
 * does not give the value now, or does not take it; OUT_OF_HOST_MEMORY; UNKNOWN: the file is none,
 * or what it says is no value. `why` gets the file and the reason; NULL: nobody asks. */
#ifndef GEO_BACKEND_CPU_SYSMAN_TREE_H
#define GEO_BACKEND_CPU_SYSMAN_TREE_H

#include "base/arena.h"
#include "base/strbuf.h"

#include <level_zero/ze_api.h>

#include <stdbool.h>
#include <stdint.h>

#define GEO_TREE_PATH  512u  /* bytes of a path, with its end */
#define GEO_TREE_VALUE 256u  /* of a value */
#define GEO_TREE_NAMES 4096u /* of one folder are looked at */

struct geo_tree {
    char root[GEO_TREE_PATH]; /* "": the real machine */
};

/* A path below the root, begins with "/". Empty, which no file is, when it got too long. */
struct geo_tree_path {
    char text[GEO_TREE_PATH];
};
struct geo_tree_path geo_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* root NULL: "/". False: it is too long. */
bool geo_tree_init(struct geo_tree *tree, const char *root);

/* Notes for this thread that memory or descriptors ran out, so that files which it took for missing
 * may exist. `feed` forgets it, and `starved` asks. The functions of this file note it themselves. */
void geo_tree_feed(void);
void geo_tree_starve(void);
bool geo_tree_starved(void);

/* A value as text, without the newline at its end. */
ze_result_t geo_tree_text(const struct geo_tree *tree, const char *path, char *text, size_t size,
                          struct geo_strbuf *why);
/* A decimal number and nothing else. */
ze_result_t geo_tree_number(const struct geo_tree *tree, const char *path, int64_t *number,
                            struct geo_strbuf *why);
/* The same; `fallback` where there is no such file. */
ze_result_t geo_tree_number_or(const struct geo_tree *tree, const char *path, int64_t fallback,
                               int64_t *number, struct geo_strbuf *why);
/* For descriptions: the text if it is there (what was in `text` stays else); the number, or
 * `fallback` whatever is the matter. */
bool geo_tree_text_known(const struct geo_tree *tree, const char *path, char *text, size_t size);
int64_t geo_tree_known(const struct geo_tree *tree, const char *path, int64_t fallback);
/* The first bytes of a file, at most `size`. */
ze_result_t geo_tree_bytes(const struct geo_tree *tree, const char *path, void *bytes, size_t size,
                           size_t *length, struct geo_strbuf *why);

/* Sets a value; what was there is gone. */
ze_result_t geo_tree_write(const struct geo_tree *tree, const char *path, const char *text,
                           struct geo_strbuf *why);
ze_result_t geo_tree_write_number(const struct geo_tree *tree, const char *path, int64_t number,
                                  struct geo_strbuf *why);

/* Whether there is such a file; whether the system takes a value there, from whoever has the
 * rights: without them writing says so. */
bool geo_tree_has(const struct geo_tree *tree, const char *path);
bool geo_tree_settable(const struct geo_tree *tree, const char *path);

/* Names in a folder that begin with `prefix`, numbers in them by value ("hwmon10" behind "hwmon9");
 * names with anything but printable ASCII are left out. In the arena. False: out of
 * memory or descriptors; a folder that is not there is empty. */
struct geo_tree_names {
    const char **names;
    uint32_t count;
};
bool geo_tree_list(const struct geo_tree *tree, const char *folder, const char *prefix,
                   struct geo_arena *arena, struct geo_tree_names *out);

/* A bit for each name in a folder that is the prefix and a number below 64; 0: none, or no folder. */
uint64_t geo_tree_numbers(const struct geo_tree *tree, const char *folder, const char *prefix);

/* A file line by line; what goes beyond a line's or the file's bound is cut off. */
#define GEO_TREE_LINE 1024u
struct geo_tree_lines {
    int fd;
    size_t begin, end, read;
    bool ended;
    char text[2 * GEO_TREE_LINE];
};
ze_result_t geo_tree_lines_open(struct geo_tree_lines *lines, const struct geo_tree *tree,
                                const char *path, struct geo_strbuf *why);
/* The next line without its end, valid until the next call; NULL: that was all. */
char *geo_tree_lines_next(struct geo_tree_lines *lines);
void geo_tree_lines_close(struct geo_tree_lines *lines);

#endif
