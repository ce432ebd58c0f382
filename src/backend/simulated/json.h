/* A JSON text as a tree, parsed strictly (base/json.h). Each value has its line number for error
 * messages. Accepts untrusted text: the size of the arena bounds the memory that a text can use. */
#ifndef GEO_BACKEND_SIMULATED_JSON_H
#define GEO_BACKEND_SIMULATED_JSON_H

#include "base/arena.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_json {
    enum geo_json_kind kind;
    uint32_t line;
    const char *key;  /* for a member of an object, else NULL */
    const char *text; /* for a string: UTF-8 without zero bytes */
    double number;    /* finite; for a bool 0 or 1 */
    uint32_t count;   /* number of elements or members */
    const struct sim_json *first, *next;
};

/* Returns a description such as "a number" or "an object". */
const char *sim_json_kind_name(enum geo_json_kind kind);

/* Parses the whole text. Returns NULL with `problem` and `line` when it is invalid, or with
 * `problem` NULL when memory ran out. Members of an object may have the same name; the reader of
 * the object must refuse that. */
const struct sim_json *sim_json_read(const char *bytes, size_t size, struct geo_arena *arena,
                                     const char **problem, uint32_t *line);

#endif
