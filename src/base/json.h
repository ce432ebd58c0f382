/* A strict scanner of JSON (RFC 8259): takes tokens one after the other, allocates nothing, and
 * knows the line where a text is wrong. For texts that may hold anything; readers of a shape are
 * made of it (loader/members.h, backend/simulated/json.h).
 *
 *     geo_json_begin
 *     geo_json_value    a word or number as a whole; a string is then taken by geo_json_text, an
 *                       array or object by
 *         geo_json_first, and while there is one more:
 *             [geo_json_key of an object,] geo_json_value and what belongs to it, geo_json_next
 *     geo_json_end
 *
 * Functions that return bool return false when the text is wrong; `problem` says how, `line` where,
 * and no more calls are to be made. */
#ifndef GEO_BASE_JSON_H
#define GEO_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEO_JSON_DEPTH 32 /* objects and arrays inside of each other, at most */

enum geo_json_kind {
    GEO_JSON_NULL,
    GEO_JSON_BOOL,
    GEO_JSON_NUMBER,
    GEO_JSON_STRING,
    GEO_JSON_ARRAY,
    GEO_JSON_OBJECT,
};

struct geo_json {
    const char *at, *end; /* what is not taken yet; the bytes are the caller's */
    uint32_t line;        /* from 1 */
    uint32_t depth;       /* arrays and objects that `at` is in */
    const char *problem;  /* NULL: none */
};

/* What begins a value. */
struct geo_json_token {
    enum geo_json_kind kind;
    const char *text; /* of a bool or number: as it stands, without a terminator */
    size_t length;
};

void geo_json_begin(struct geo_json *json, const char *bytes, size_t size);

/* Nothing but blanks may follow; `wrong` is the problem else. */
bool geo_json_end(struct geo_json *json, const char *wrong);

/* The next byte, 0 at the end; a byte 0 before it is wrong everywhere. */
static inline char geo_json_peek(const struct geo_json *json)
{
    return json->at < json->end ? *json->at : '\0';
}

bool geo_json_value(struct geo_json *json, struct geo_json_token *token);

/* A string, in UTF-8 without a zero in it, and its terminator. `out` is NULL, or has room for
 * geo_json_text_room + 1 bytes, or is at or before `at`: a decoded string with its terminator is
 * shorter than what is taken for it. */
bool geo_json_text(struct geo_json *json, char *out);

/* Bytes that the string at `at` takes at most, decoded and without its terminator. */
size_t geo_json_text_room(const struct geo_json *json);

/* A string, as geo_json_text, and the colon behind it. */
bool geo_json_key(struct geo_json *json, char *out);

/* Of an array or object, `kind`: whether there is a first element; after each, whether there is one
 * more. */
bool geo_json_first(struct geo_json *json, enum geo_json_kind kind);
bool geo_json_next(struct geo_json *json, enum geo_json_kind kind, bool *more);

/* Sets the problem; false. */
bool geo_json_wrong(struct geo_json *json, const char *problem);

#endif
