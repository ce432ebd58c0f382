/* A strict reader of JSON. See json.h.
 *
 * Functions return false with the reader's problem set; `line` then says where. */
#include "backend/simulated/json.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *at, *end;
    struct geo_arena *arena;
    locale_t plain; /* whose decimal point is one */
    uint32_t line;
    const char *problem; /* NULL: memory ran out */
};

const char *sim_json_kind_name(enum sim_json_kind kind)
{
    static const char *const names[] = {"null",     "true or false", "a number",
                                        "a string", "an array",      "an object"};
    return names[kind];
}

static bool wrong(struct reader *reader, const char *problem)
{
    reader->problem = problem;
    return false;
}

/* The next byte, 0 at the end; a byte 0 before it is wrong everywhere. */
static char peek(const struct reader *reader)
{
    return reader->at < reader->end ? *reader->at : '\0';
}

static void blanks_skip(struct reader *reader)
{
    while (peek(reader) == ' ' || peek(reader) == '\t' || peek(reader) == '\n' ||
           peek(reader) == '\r') {
        reader->line += *reader->at++ == '\n';
    }
}

static bool take(struct reader *reader, char wanted)
{
    if (peek(reader) != wanted) {
        return false;
    }
    reader->at++;
    return true;
}

/* ---- strings ---- */

/* Bytes of the character at `at`; 0: no UTF-8. No surrogates, nothing longer than it has to be. */
static size_t character_length(const struct reader *reader)
{
    const unsigned char *at = (const unsigned char *)reader->at;
    const size_t left = (size_t)(reader->end - reader->at);
    if (at[0] < 0x80) {
        return 1;
    }
    const size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4 || length > left) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool right = (at[0] != 0xe0 || at[1] >= 0xa0) && (at[0] != 0xed || at[1] < 0xa0) &&
                       (at[0] != 0xf0 || at[1] >= 0x90) && (at[0] != 0xf4 || at[1] < 0x90);
    return right ? length : 0;
}

static bool hexadecimal_take(struct reader *reader, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        const char c = peek(reader);
        const uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                               : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                               : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                      : 16;
        if (digit == 16) {
            return wrong(reader, "\\u without four hexadecimal digits");
        }
        *unit = *unit << 4 | digit;
        reader->at++;
    }
    return true;
}

static void character_put(char **out, uint32_t c)
{
    if (c < 0x80) {
        *(*out)++ = (char)c;
        return;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    *(*out)++ = (char)(0xff00u >> (more + 1) | c >> (6 * more));
    while (more--) {
        *(*out)++ = (char)(0x80 | (c >> (6 * more) & 0x3f));
    }
}

/* What follows \u: one unit or a pair, never more bytes than it was. */
static bool unicode_take(struct reader *reader, char **out)
{
    uint32_t c, low;
    if (!hexadecimal_take(reader, &c)) {
        return false;
    }
    if (c >= 0xd800 && c < 0xe000) {
        const bool pair = c < 0xdc00 && take(reader, '\\') && take(reader, 'u');
        if (!pair || !hexadecimal_take(reader, &low) || low < 0xdc00 || low >= 0xe000) {
            return wrong(reader, "half of a surrogate pair");
        }
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    if (c == 0) {
        return wrong(reader, "\\u0000 in a string");
    }
    character_put(out, c);
    return true;
}

static bool escape_take(struct reader *reader, char **out)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char c = peek(reader);
    const char *found = c ? strchr(names, c) : NULL;
    if (found) {
        *(*out)++ = values[found - names];
        reader->at++;
        return true;
    }
    return take(reader, 'u') ? unicode_take(reader, out)
                             : wrong(reader, "unknown escape sequence in a string");
}

static bool character_take(struct reader *reader, char **out)
{
    if (take(reader, '\\')) {
        return escape_take(reader, out);
    }
    if (reader->at == reader->end) {
        return wrong(reader, "a string does not end");
    }
    if ((unsigned char)*reader->at < 0x20) {
        return wrong(reader, "control character in a string");
    }
    const size_t length = character_length(reader);
    if (length == 0) {
        return wrong(reader, "not UTF-8");
    }
    memcpy(*out, reader->at, length);
    *out += length;
    reader->at += length;
    return true;
}

/* Bytes up to the quotation mark that ends it, or to the end. */
static size_t text_room(const struct reader *reader)
{
    const char *at = reader->at;
    while (at < reader->end && *at != '"') {
        at += *at == '\\' && reader->end - at > 1 ? 2 : 1;
    }
    return (size_t)(at - reader->at);
}

static bool text_take(struct reader *reader, const char **text)
{
    if (!take(reader, '"')) {
        return wrong(reader, "a string is missing");
    }
    char *out = geo_arena_alloc(reader->arena, text_room(reader) + 1);
    if (!out) {
        return wrong(reader, NULL);
    }
    *text = out;
    while (peek(reader) != '"') {
        if (!character_take(reader, &out)) {
            return false;
        }
    }
    reader->at++;
    return true;
}

/* ---- numbers, words ---- */

static bool digits_skip(struct reader *reader)
{
    const char *first = reader->at;
    while (peek(reader) >= '0' && peek(reader) <= '9') {
        reader->at++;
    }
    return reader->at > first;
}

static bool number_skip(struct reader *reader)
{
    take(reader, '-');
    bool right = take(reader, '0') || digits_skip(reader);
    if (right && take(reader, '.')) {
        right = digits_skip(reader);
    }
    if (right && (take(reader, 'e') || take(reader, 'E'))) {
        if (!take(reader, '+')) {
            take(reader, '-');
        }
        right = digits_skip(reader);
    }
    return right || wrong(reader, "a value is missing");
}

static bool number_take(struct reader *reader, struct sim_json *value)
{
    char digits[64];
    const char *first = reader->at;
    if (!number_skip(reader)) {
        return false;
    }
    const size_t length = (size_t)(reader->at - first);
    if (length >= sizeof(digits)) {
        return wrong(reader, "a number of more than 63 characters");
    }
    memcpy(digits, first, length);
    digits[length] = '\0';
    value->kind = SIM_JSON_NUMBER;
    value->number = strtod_l(digits, NULL, reader->plain);
    return isfinite(value->number) || wrong(reader, "a number that is too large");
}

static bool word_take(struct reader *reader, struct sim_json *value)
{
    static const struct {
        const char *text;
        enum sim_json_kind kind;
        double number;
    } words[] = {
        {"true", SIM_JSON_BOOL, 1}, {"false", SIM_JSON_BOOL, 0}, {"null", SIM_JSON_NULL, 0}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t length = strlen(words[i].text);
        if ((size_t)(reader->end - reader->at) >= length &&
            memcmp(reader->at, words[i].text, length) == 0) {
            reader->at += length;
            value->kind = words[i].kind;
            value->number = words[i].number;
            return true;
        }
    }
    return false;
}

/* ---- arrays and objects ---- */

static bool value_take(struct reader *reader, struct sim_json *value, int depth);

/* After an element: true with `more` when another follows. */
static bool separator_take(struct reader *reader, char closing, bool *more)
{
    blanks_skip(reader);
    *more = take(reader, ',');
    blanks_skip(reader);
    return *more || take(reader, closing) ||
           wrong(reader, closing == ']' ? "',' or ']' is missing" : "',' or '}' is missing");
}

static bool key_take(struct reader *reader, const char **key)
{
    if (!text_take(reader, key)) {
        return false;
    }
    blanks_skip(reader);
    if (!take(reader, ':')) {
        return wrong(reader, "':' is missing");
    }
    blanks_skip(reader);
    return true;
}

/* The elements or members of a value whose opening bracket was taken. */
static bool elements_take(struct reader *reader, struct sim_json *value, int depth)
{
    const bool object = value->kind == SIM_JSON_OBJECT;
    const char closing = object ? '}' : ']';
    const struct sim_json **link = &value->first;
    if (depth > SIM_JSON_DEPTH) {
        return wrong(reader, "more than 32 arrays and objects in each other");
    }
    blanks_skip(reader);
    for (bool more = !take(reader, closing); more;) {
        struct sim_json *element = geo_arena_new(reader->arena, struct sim_json);
        if (!element) {
            return wrong(reader, NULL);
        }
        element->line = reader->line;
        if ((object && !key_take(reader, &element->key)) || !value_take(reader, element, depth) ||
            !separator_take(reader, closing, &more)) {
            return false;
        }
        *link = element;
        link = &element->next;
        value->count++;
    }
    return true;
}

static bool value_take(struct reader *reader, struct sim_json *value, int depth)
{
    value->line = reader->line;
    if (peek(reader) == '"') {
        value->kind = SIM_JSON_STRING;
        return text_take(reader, &value->text);
    }
    if (take(reader, '{')) {
        value->kind = SIM_JSON_OBJECT;
        return elements_take(reader, value, depth + 1);
    }
    if (take(reader, '[')) {
        value->kind = SIM_JSON_ARRAY;
        return elements_take(reader, value, depth + 1);
    }
    return word_take(reader, value) || number_take(reader, value);
}

const struct sim_json *sim_json_read(const char *bytes, size_t size, struct geo_arena *arena,
                                     const char **problem, uint32_t *line)
{
    struct reader reader = {.at = bytes, .end = bytes + size, .arena = arena, .line = 1};
    struct sim_json *value = geo_arena_new(arena, struct sim_json);
    reader.plain = newlocale(LC_ALL_MASK, "C", NULL);
    bool right = value && reader.plain;
    if (right) {
        blanks_skip(&reader);
        right = value_take(&reader, value, 0);
        blanks_skip(&reader);
        if (right && reader.at != reader.end) {
            right = wrong(&reader, "something follows the value");
        }
    }
    if (reader.plain) {
        freelocale(reader.plain);
    }
    *problem = arena->limit_met && !reader.problem && !right ? "more values than are read"
                                                             : reader.problem;
    *line = reader.line;
    return right ? value : NULL;
}
