/* The strict JSON scanner. See json.h. */
#include "base/json.h"

#include <string.h>

#define TEXT_OF_(number) #number
#define TEXT_OF(number)  TEXT_OF_(number)

bool geo_json_wrong(struct geo_json *json, const char *problem)
{
    json->problem = problem;
    return false;
}

/* Skips white space and counts lines. A line feed cannot occur elsewhere: strings must escape
 * it. */
static void blanks_skip(struct geo_json *json)
{
    while (geo_json_peek(json) == ' ' || geo_json_peek(json) == '\t' ||
           geo_json_peek(json) == '\n' || geo_json_peek(json) == '\r') {
        json->line += *json->at++ == '\n';
    }
}

static bool take(struct geo_json *json, char wanted)
{
    if (geo_json_peek(json) != wanted) {
        return false;
    }
    json->at++;
    return true;
}

void geo_json_begin(struct geo_json *json, const char *bytes, size_t size)
{
    *json = (struct geo_json){.at = bytes, .end = bytes + size, .line = 1};
    blanks_skip(json);
}

bool geo_json_end(struct geo_json *json, const char *wrong)
{
    blanks_skip(json);
    return json->at == json->end || geo_json_wrong(json, wrong);
}

/* ---- strings ---- */

/* Appends decoded bytes to *out and advances it, unless it is NULL. */
static void bytes_put(char **out, const char *bytes, size_t length)
{
    if (*out) {
        memmove(*out, bytes, length);
        *out += length;
    }
}

/* Returns the length in bytes of the UTF-8 character at `at`, or 0 when it is invalid. Surrogates
 * and overlong sequences are invalid. */
static size_t character_length(const struct geo_json *json)
{
    const unsigned char *at = (const unsigned char *)json->at;
    const size_t left = (size_t)(json->end - json->at);
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

static bool hexadecimal_take(struct geo_json *json, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        const char c = geo_json_peek(json);
        const uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                               : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                               : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                      : 16;
        if (digit == 16) {
            return geo_json_wrong(json, "\\u without four hexadecimal digits");
        }
        *unit = *unit << 4 | digit;
        json->at++;
    }
    return true;
}

static void character_put(char **out, uint32_t c)
{
    char bytes[4];
    size_t length = 0;
    if (c < 0x80) {
        bytes[length++] = (char)c;
    } else {
        int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        bytes[length++] = (char)(0xff00u >> (more + 1) | c >> (6 * more));
        while (more--) {
            bytes[length++] = (char)(0x80 | (c >> (6 * more) & 0x3f));
        }
    }
    bytes_put(out, bytes, length);
}

/* Decodes the digits after \u: one unit or a surrogate pair. The result never has more bytes than
 * the escape sequence. */
static bool unicode_take(struct geo_json *json, char **out)
{
    uint32_t c, low;
    if (!hexadecimal_take(json, &c)) {
        return false;
    }
    if (c >= 0xd800 && c < 0xe000) {
        const bool pair = c < 0xdc00 && take(json, '\\') && take(json, 'u');
        if (!pair || !hexadecimal_take(json, &low) || low < 0xdc00 || low >= 0xe000) {
            return geo_json_wrong(json, "half of a surrogate pair");
        }
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    if (c == 0) {
        return geo_json_wrong(json, "\\u0000 in a string");
    }
    character_put(out, c);
    return true;
}

static bool escape_take(struct geo_json *json, char **out)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char c = geo_json_peek(json);
    const char *found = c ? strchr(names, c) : NULL;
    if (found) {
        bytes_put(out, &values[found - names], 1);
        json->at++;
        return true;
    }
    return take(json, 'u') ? unicode_take(json, out)
                           : geo_json_wrong(json, "unknown escape sequence in a string");
}

static bool character_take(struct geo_json *json, char **out)
{
    if (take(json, '\\')) {
        return escape_take(json, out);
    }
    if (json->at == json->end) {
        return geo_json_wrong(json, "a string does not end");
    }
    if ((unsigned char)*json->at < 0x20) {
        return geo_json_wrong(json, "control character in a string");
    }
    const size_t length = character_length(json);
    if (length == 0) {
        return geo_json_wrong(json, "not UTF-8");
    }
    bytes_put(out, json->at, length);
    json->at += length;
    return true;
}

bool geo_json_text(struct geo_json *json, char *out)
{
    if (!take(json, '"')) {
        return geo_json_wrong(json, "a string is missing");
    }
    while (geo_json_peek(json) != '"') {
        if (!character_take(json, &out)) {
            return false;
        }
    }
    json->at++;
    bytes_put(&out, "", 1);
    return true;
}

size_t geo_json_text_room(const struct geo_json *json)
{
    const char *at = json->at;
    if (geo_json_peek(json) != '"') {
        return 0;
    }
    for (at++; at < json->end && *at != '"';) {
        at += *at == '\\' && json->end - at > 1 ? 2 : 1;
    }
    return (size_t)(at - json->at) - 1;
}

bool geo_json_key(struct geo_json *json, char *out)
{
    if (!geo_json_text(json, out)) {
        return false;
    }
    blanks_skip(json);
    if (!take(json, ':')) {
        return geo_json_wrong(json, "':' is missing");
    }
    blanks_skip(json);
    return true;
}

/* ---- numbers, words ---- */

static bool digits_skip(struct geo_json *json)
{
    const char *first = json->at;
    while (geo_json_peek(json) >= '0' && geo_json_peek(json) <= '9') {
        json->at++;
    }
    return json->at > first;
}

static bool number_take(struct geo_json *json, struct geo_json_token *token)
{
    token->kind = GEO_JSON_NUMBER;
    take(json, '-');
    bool right = take(json, '0') || digits_skip(json);
    if (right && take(json, '.')) {
        right = digits_skip(json);
    }
    if (right && (take(json, 'e') || take(json, 'E'))) {
        if (!take(json, '+')) {
            take(json, '-');
        }
        right = digits_skip(json);
    }
    return right || geo_json_wrong(json, "a value is missing");
}

static bool word_take(struct geo_json *json, struct geo_json_token *token)
{
    static const struct {
        const char *text;
        enum geo_json_kind kind;
    } words[] = {{"true", GEO_JSON_BOOL}, {"false", GEO_JSON_BOOL}, {"null", GEO_JSON_NULL}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t length = strlen(words[i].text);
        if ((size_t)(json->end - json->at) >= length &&
            memcmp(json->at, words[i].text, length) == 0) {
            json->at += length;
            token->kind = words[i].kind;
            return true;
        }
    }
    return false;
}

/* ---- arrays, objects ---- */

static bool bracket_take(struct geo_json *json)
{
    json->at++;
    return ++json->depth <= GEO_JSON_DEPTH ||
           geo_json_wrong(json,
                          "more than " TEXT_OF(GEO_JSON_DEPTH) " arrays and objects in each other");
}

static char closing_of(enum geo_json_kind kind)
{
    return kind == GEO_JSON_OBJECT ? '}' : ']';
}

static bool end_take(struct geo_json *json, enum geo_json_kind kind)
{
    const bool ends = take(json, closing_of(kind));
    json->depth -= ends;
    return ends;
}

bool geo_json_first(struct geo_json *json, enum geo_json_kind kind)
{
    blanks_skip(json);
    return !end_take(json, kind);
}

bool geo_json_next(struct geo_json *json, enum geo_json_kind kind, bool *more)
{
    blanks_skip(json);
    *more = take(json, ',');
    if (*more) {
        blanks_skip(json);
        return true;
    }
    return end_take(json, kind) ||
           geo_json_wrong(json, kind == GEO_JSON_OBJECT ? "',' or '}' is missing"
                                                        : "',' or ']' is missing");
}

/* ---- values ---- */

bool geo_json_value(struct geo_json *json, struct geo_json_token *token)
{
    bool right = true;
    *token = (struct geo_json_token){.text = json->at};
    switch (geo_json_peek(json)) {
    case '"':
        token->kind = GEO_JSON_STRING;
        break;
    case '{':
        token->kind = GEO_JSON_OBJECT;
        right = bracket_take(json);
        break;
    case '[':
        token->kind = GEO_JSON_ARRAY;
        right = bracket_take(json);
        break;
    default:
        right = word_take(json, token) || number_take(json, token);
    }
    token->length = (size_t)(json->at - token->text);
    return right;
}
