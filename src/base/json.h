/* A strict JSON scanner (RFC 8259). It returns one token after the other, allocates nothing, and
 * knows the line of an error. It accepts untrusted text. Readers of a given structure are built on
 * it (loader/discovery/members.h, backend/simulated/json.h).
 *
 *     geo_json_begin
 *     geo_json_value      a word or a number is complete; a string is then read by geo_json_text,
 *                         an array or object by
 *       geo_json_first, and while there is one more element:
 *           [geo_json_key in an object,] geo_json_value and its content, geo_json_next
 *     geo_json_end
 *
 * Functions that return bool return false when the text is invalid. `problem` then describes the
 * error and `line` says where it is. The caller must stop. */
#ifndef GEO_BASE_JSON_H
#define GEO_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEO_JSON_DEPTH 32 /* maximum nesting of objects and arrays */

enum geo_json_kind {
    GEO_JSON_NULL,
    GEO_JSON_BOOL,
    GEO_JSON_NUMBER,
    GEO_JSON_STRING,
    GEO_JSON_ARRAY,
    GEO_JSON_OBJECT,
};

struct geo_json {
    const char *at, *end; /* the unread bytes, owned by the caller */
    uint32_t line;        /* line number, from 1 */
    uint32_t depth;       /* number of arrays and objects around `at` */
    const char *problem;  /* description of the error; NULL: none */
};

/* The start of a value. */
struct geo_json_token {
    enum geo_json_kind kind;
    const char *text; /* for a bool or number: its text, not terminated */
    size_t length;
};

void geo_json_begin(struct geo_json *json, const char *bytes, size_t size);

/* Checks that only white space follows. Otherwise sets `problem` to `wrong` and returns false. */
bool geo_json_end(struct geo_json *json, const char *wrong);

/* Returns the next byte, or 0 at the end. A zero byte in the text is an error everywhere. */
static inline char geo_json_peek(const struct geo_json *json)
{
    return json->at < json->end ? *json->at : '\0';
}

bool geo_json_value(struct geo_json *json, struct geo_json_token *token);

/* Reads a string and its terminating quote. The decoded string is UTF-8 without zero bytes and
 * terminated. `out` is NULL, or has at least geo_json_text_room + 1 bytes, or is at or before `at`:
 * a decoded string with its terminator is never longer than its source. */
bool geo_json_text(struct geo_json *json, char *out);

/* Returns the maximum size of the decoded string at `at` in bytes, without its terminator. */
size_t geo_json_text_room(const struct geo_json *json);

/* Reads an object's key as geo_json_text does, and the colon after it. */
bool geo_json_key(struct geo_json *json, char *out);

/* Step through an array or object of the given kind. `first` returns whether there is a first
 * element. `next` sets *more to whether another element follows. */
bool geo_json_first(struct geo_json *json, enum geo_json_kind kind);
bool geo_json_next(struct geo_json *json, enum geo_json_kind kind, bool *more);

/* Sets the problem and returns false. */
bool geo_json_wrong(struct geo_json *json, const char *problem);

#endif
