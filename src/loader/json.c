/* A strict reader of JSON. See json.h.
 *
 * Functions return false with the reader's problem set; `at` then stands where it is wrong. */
#include "loader/json.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct reader {
    char *at, *end;
    unsigned line;
    char problem[96];
    struct geo_json_member *members;
    size_t count;
};

__attribute__((format(printf, 2, 3))) static bool wrong(struct reader *reader, const char *format,
                                                        ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(reader->problem, sizeof(reader->problem), format, args);
    va_end(args);
    return false;
}

/* The next byte, 0 at the end; a byte 0 before it is wrong everywhere. */
static char peek(const struct reader *reader)
{
    return reader->at < reader->end ? *reader->at : '\0';
}

/* Lines end nowhere else: in strings a line feed has to be written as an escape sequence. */
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

/* ---- texts ---- */

/* Bytes of the character at `at`; 0: no UTF-8. No surrogates, nothing longer than it has to be. */
static size_t character_length(const struct reader *reader)
{
    const unsigned char *at = (const unsigned char *)reader->at;
    size_t left = (size_t)(reader->end - reader->at);
    if (at[0] < 0x80) {
        return 1;
    }
    size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4 || length > left) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool right = (at[0] != 0xe0 || at[1] >= 0xa0) && (at[0] != 0xed || at[1] < 0xa0) &&
                 (at[0] != 0xf0 || at[1] >= 0x90) && (at[0] != 0xf4 || at[1] < 0x90);
    return right ? length : 0;
}

static bool hexadecimal_take(struct reader *reader, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        char c = peek(reader);
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
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

static char *character_put(char *out, uint32_t c)
{
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    *out++ = (char)(0xff00u >> (more + 1) | c >> (6 * more));
    while (more--) {
        *out++ = (char)(0x80 | (c >> (6 * more) & 0x3f));
    }
    return out;
}

/* What follows \u: one unit or a pair, never more bytes than it was. */
static bool unicode_take(struct reader *reader, char **out)
{
    uint32_t c, low;
    if (!hexadecimal_take(reader, &c)) {
        return false;
    }
    if (c >= 0xd800 && c < 0xe000) {
        bool pair = c < 0xdc00 && take(reader, '\\') && take(reader, 'u');
        if (!pair || !hexadecimal_take(reader, &low) || low < 0xdc00 || low >= 0xe000) {
            return wrong(reader, "half of a surrogate pair");
        }
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    if (c == 0) {
        return wrong(reader, "\\u0000 in a string");
    }
    *out = character_put(*out, c);
    return true;
}

static bool escape_take(struct reader *reader, char **out)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    char c = peek(reader);
    const char *found = c ? strchr(names, c) : NULL;
    if (found) {
        *(*out)++ = values[found - names];
        reader->at++;
        return true;
    }
    return take(reader, 'u') ? unicode_take(reader, out)
                             : wrong(reader, "unknown escape sequence in a string");
}

/* A string, decoded in its place and terminated there. */
static bool text_take(struct reader *reader, char **text)
{
    if (!take(reader, '"')) {
        return wrong(reader, "a string is missing");
    }
    char *out = *text = reader->at;
    while (peek(reader) != '"') {
        if (take(reader, '\\')) {
            if (!escape_take(reader, &out)) {
                return false;
            }
            continue;
        }
        if (reader->at == reader->end) {
            return wrong(reader, "a string does not end");
        }
        if ((unsigned char)*reader->at < 0x20) {
            return wrong(reader, "control character in a string");
        }
        size_t length = character_length(reader);
        if (length == 0) {
            return wrong(reader, "not UTF-8");
        }
        memmove(out, reader->at, length);
        out += length;
        reader->at += length;
    }
    reader->at++;
    *out = '\0';
    return true;
}

/* ---- other values ---- */

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
        bool sign = take(reader, '+') || take(reader, '-');
        (void)sign;
        right = digits_skip(reader);
    }
    return right || wrong(reader, "a value is missing");
}

static bool word_skip(struct reader *reader)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(reader->end - reader->at) >= length &&
            memcmp(reader->at, words[i], length) == 0) {
            reader->at += length;
            return true;
        }
    }
    return false;
}

static bool object_take(struct reader *reader, int depth);
static bool array_skip(struct reader *reader, int depth);

static bool value_skip(struct reader *reader, int depth)
{
    char *text;
    switch (peek(reader)) {
    case '"':
        return text_take(reader, &text);
    case '{':
        return object_take(reader, depth + 1);
    case '[':
        return array_skip(reader, depth + 1);
    default:
        return word_skip(reader) || number_skip(reader);
    }
}

/* After an element: true with `more` when another follows. */
static bool separator_take(struct reader *reader, char closing, bool *more)
{
    blanks_skip(reader);
    *more = take(reader, ',');
    blanks_skip(reader);
    return *more || take(reader, closing) || wrong(reader, "',' or '%c' is missing", closing);
}

static bool array_skip(struct reader *reader, int depth)
{
    if (depth > GEO_JSON_DEPTH) {
        return wrong(reader, "more than %d arrays and objects in each other", GEO_JSON_DEPTH);
    }
    take(reader, '[');
    blanks_skip(reader);
    bool right = true, more = !take(reader, ']');
    while (right && more) {
        right = value_skip(reader, depth) && separator_take(reader, ']', &more);
    }
    return right;
}

/* ---- objects ---- */

static struct geo_json_member *member_find(const struct reader *reader, const char *key)
{
    for (size_t i = 0; i < reader->count; i++) {
        if (strcmp(reader->members[i].key, key) == 0) {
            return &reader->members[i];
        }
    }
    return NULL;
}

static bool member_take(struct reader *reader, int depth)
{
    char *key;
    if (!text_take(reader, &key)) {
        return false;
    }
    struct geo_json_member *member = depth == 1 ? member_find(reader, key) : NULL;
    blanks_skip(reader);
    if (!take(reader, ':')) {
        return wrong(reader, "':' is missing");
    }
    blanks_skip(reader);
    if (!member) {
        return value_skip(reader, depth);
    }
    if (member->text) {
        return wrong(reader, "\"%s\" stands here for the second time", member->key);
    }
    return peek(reader) == '"' ? text_take(reader, &member->text)
                               : wrong(reader, "\"%s\" is no string", member->key);
}

static bool object_take(struct reader *reader, int depth)
{
    if (depth > GEO_JSON_DEPTH) {
        return wrong(reader, "more than %d arrays and objects in each other", GEO_JSON_DEPTH);
    }
    if (!take(reader, '{')) {
        return wrong(reader, "'{' is missing");
    }
    blanks_skip(reader);
    bool right = true, more = !take(reader, '}');
    while (right && more) {
        right = member_take(reader, depth) && separator_take(reader, '}', &more);
    }
    return right;
}

bool geo_json_read(char *bytes, size_t size, struct geo_json_member *members, size_t count,
                   char *problem, size_t problem_size)
{
    struct reader reader = {
        .at = bytes, .end = bytes + size, .line = 1, .members = members, .count = count};
    for (size_t i = 0; i < count; i++) {
        members[i].text = NULL;
    }
    bytes[size] = '\0';
    blanks_skip(&reader);
    bool right = object_take(&reader, 1);
    blanks_skip(&reader);
    if (right && reader.at != reader.end) {
        right = wrong(&reader, "something follows the object");
    }
    if (!right) {
        snprintf(problem, problem_size, "line %u: %s", reader.line, reader.problem);
    }
    return right;
}
