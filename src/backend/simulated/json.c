/* Builds a tree from a JSON text. See json.h. */
#include "backend/simulated/json.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct geo_json json; /* `problem` is NULL when memory ran out */
    struct geo_arena *arena;
    locale_t plain; /* a locale with a decimal point */
};

const char *sim_json_kind_name(enum geo_json_kind kind)
{
    static const char *const names[] = {"null",     "true or false", "a number",
                                        "a string", "an array",      "an object"};
    return names[kind];
}

/* Records that memory ran out. Always returns false. */
static bool full(struct reader *reader)
{
    return geo_json_wrong(&reader->json, NULL);
}

static char *text_room(struct reader *reader)
{
    return geo_arena_alloc(reader->arena, geo_json_text_room(&reader->json) + 1);
}

static bool text_take(struct reader *reader, const char **text)
{
    char *out = text_room(reader);
    *text = out;
    return out ? geo_json_text(&reader->json, out) : full(reader);
}

static bool key_take(struct reader *reader, const char **key)
{
    char *out = text_room(reader);
    *key = out;
    return out ? geo_json_key(&reader->json, out) : full(reader);
}

static bool number_take(struct reader *reader, const struct geo_json_token *token, double *number)
{
    char digits[64];
    if (token->length >= sizeof(digits)) {
        return geo_json_wrong(&reader->json, "a number of more than 63 characters");
    }
    memcpy(digits, token->text, token->length);
    digits[token->length] = '\0';
    *number = strtod_l(digits, NULL, reader->plain);
    return isfinite(*number) || geo_json_wrong(&reader->json, "a number that is too large");
}

static bool value_take(struct reader *reader, struct sim_json *value);

/* Reads the elements or members of a value whose opening bracket was already read. */
static bool elements_take(struct reader *reader, struct sim_json *value)
{
    struct geo_json *json = &reader->json;
    const struct sim_json **link = &value->first;
    bool more = geo_json_first(json, value->kind), right = true;
    while (right && more) {
        struct sim_json *element = geo_arena_new(reader->arena, struct sim_json);
        if (!element) {
            return full(reader);
        }
        right = (value->kind == GEO_JSON_ARRAY || key_take(reader, &element->key)) &&
                value_take(reader, element) && geo_json_next(json, value->kind, &more);
        *link = element;
        link = &element->next;
        value->count++;
    }
    return right;
}

static bool value_take(struct reader *reader, struct sim_json *value)
{
    struct geo_json_token token;
    value->line = reader->json.line;
    if (!geo_json_value(&reader->json, &token)) {
        return false;
    }
    value->kind = token.kind;
    switch (token.kind) {
    case GEO_JSON_STRING:
        return text_take(reader, &value->text);
    case GEO_JSON_NUMBER:
        return number_take(reader, &token, &value->number);
    case GEO_JSON_BOOL:
        value->number = token.text[0] == 't';
        return true;
    case GEO_JSON_NULL:
        return true;
    default:
        return elements_take(reader, value);
    }
}

const struct sim_json *sim_json_read(const char *bytes, size_t size, struct geo_arena *arena,
                                     const char **problem, uint32_t *line)
{
    struct reader reader = {.arena = arena};
    struct sim_json *value = geo_arena_new(arena, struct sim_json);
    geo_json_begin(&reader.json, bytes, size);
    reader.plain = newlocale(LC_ALL_MASK, "C", NULL);
    bool right = value && reader.plain && value_take(&reader, value) &&
                 geo_json_end(&reader.json, "something follows the value");
    if (reader.plain) {
        freelocale(reader.plain);
    }
    *problem = arena->limit_met && !reader.json.problem && !right ? "more values than are read"
                                                                  : reader.json.problem;
    *line = reader.json.line;
    return right ? value : NULL;
}
