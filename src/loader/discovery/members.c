/* Reads members of one JSON object. See members.h. */
#include "loader/discovery/members.h"

#include "base/assert.h"
#include "base/json.h"

#include <stdio.h>
#include <string.h>

struct reader {
    struct geo_json json;
    char *bytes;      /* the input; strings are decoded in place */
    char problem[96]; /* error text that contains a name; else the scanner has one */
    struct geo_member *members;
    size_t count;
};

static bool member_wrong(struct reader *reader, const struct geo_member *member, const char *what)
{
    snprintf(reader->problem, sizeof(reader->problem), "\"%s\" %s", member->key, what);
    return geo_json_wrong(&reader->json, reader->problem);
}

/* Returns where the next string is decoded to: its own place in the input. */
static char *place(const struct reader *reader)
{
    return reader->bytes + (reader->json.at - reader->bytes);
}

/* Skips a value of any kind. */
static bool value_skip(struct geo_json *json)
{
    struct geo_json_token token;
    if (!geo_json_value(json, &token)) {
        return false;
    }
    if (token.kind == GEO_JSON_STRING) {
        return geo_json_text(json, NULL);
    }
    if (token.kind != GEO_JSON_ARRAY && token.kind != GEO_JSON_OBJECT) {
        return true;
    }
    bool more = geo_json_first(json, token.kind), right = true;
    while (right && more) {
        right = (token.kind == GEO_JSON_ARRAY || geo_json_key(json, NULL)) && value_skip(json) &&
                geo_json_next(json, token.kind, &more);
    }
    return right;
}

static struct geo_member *member_find(const struct reader *reader, const char *key)
{
    for (size_t i = 0; i < reader->count; i++) {
        if (strcmp(reader->members[i].key, key) == 0) {
            return &reader->members[i];
        }
    }
    return NULL;
}

static bool member_take(struct reader *reader)
{
    char *key = place(reader);
    if (!geo_json_key(&reader->json, key)) {
        return false;
    }
    struct geo_member *member = member_find(reader, key);
    if (!member) {
        return value_skip(&reader->json);
    }
    if (member->text) {
        return member_wrong(reader, member, "stands here for the second time");
    }
    if (geo_json_peek(&reader->json) != '"') {
        return member_wrong(reader, member, "is not a string");
    }
    member->text = place(reader);
    const bool right = geo_json_text(&reader->json, member->text);
    /* Decoding only shortens, so the text ends before its closing quote. */
    GEO_ASSERT(!right || member->text + strlen(member->text) < reader->json.at);
    return right;
}

static bool object_take(struct reader *reader)
{
    struct geo_json *json = &reader->json;
    struct geo_json_token token;
    if (geo_json_peek(json) != '{') {
        return geo_json_wrong(json, "'{' is missing");
    }
    bool right = geo_json_value(json, &token), more = right && geo_json_first(json, token.kind);
    while (right && more) {
        right = member_take(reader) && geo_json_next(json, token.kind, &more);
    }
    return right;
}

bool geo_members_read(char *bytes, size_t size, struct geo_member *members, size_t count,
                      char *problem, size_t problem_size)
{
    struct reader reader = {.bytes = bytes, .members = members, .count = count};
    for (size_t i = 0; i < count; i++) {
        members[i].text = NULL;
    }
    geo_json_begin(&reader.json, bytes, size);
    bool right = object_take(&reader) && geo_json_end(&reader.json, "something follows the object");
    if (!right) {
        snprintf(problem, problem_size, "line %u: %s", (unsigned)reader.json.line,
                 reader.json.problem);
    }
    return right;
}
