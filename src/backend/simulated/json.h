/* A JSON text as a tree, read strictly (base/json.h), each value with its line so that whoever does
 * not like it can say where it stands. For texts that may hold anything: what they can cost is
 * bounded by the arena that the tree is made in. */
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
    const char *key;  /* of a member of an object, else NULL */
    const char *text; /* of a string: UTF-8 without a zero in it */
    double number;    /* finite; of a bool 0 or 1 */
    uint32_t count;   /* of elements or members */
    const struct sim_json *first, *next;
};

/* "number", "object" ... */
const char *sim_json_kind_name(enum geo_json_kind kind);

/* Reads the whole text; NULL with `problem` and `line` when it is no JSON or memory ran out, where
 * `problem` is NULL. Members of an object may have the same name: who reads them refuses that. */
const struct sim_json *sim_json_read(const char *bytes, size_t size, struct geo_arena *arena,
                                     const char **problem, uint32_t *line);

#endif
