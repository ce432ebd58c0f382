/* A JSON text (RFC 8259) as a tree, read strictly, each value with its line so that whoever does
 * not like it can say where it stands. For texts that may hold anything: what they can cost is
 * bounded by the arena that the tree is made in. */
#ifndef GEO_BACKEND_SIMULATED_JSON_H
#define GEO_BACKEND_SIMULATED_JSON_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_JSON_DEPTH 32 /* objects and arrays inside of each other, at most */

enum sim_json_kind {
    SIM_JSON_NULL,
    SIM_JSON_BOOL,
    SIM_JSON_NUMBER,
    SIM_JSON_STRING,
    SIM_JSON_ARRAY,
    SIM_JSON_OBJECT,
};

struct sim_json {
    enum sim_json_kind kind;
    uint32_t line;
    const char *key;  /* of a member of an object, else NULL */
    const char *text; /* of a string: UTF-8 without a zero in it */
    double number;    /* finite; of a bool 0 or 1 */
    uint32_t count;   /* of elements or members */
    const struct sim_json *first, *next;
};

/* "number", "object" ... */
const char *sim_json_kind_name(enum sim_json_kind kind);

/* Reads the whole text; NULL with `problem` and `line` when it is no JSON or memory ran out, where
 * `problem` is NULL. Members of an object may have the same name: who reads them refuses that. */
const struct sim_json *sim_json_read(const char *bytes, size_t size, struct geo_arena *arena,
                                     const char **problem, uint32_t *line);

#endif
