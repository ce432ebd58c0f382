/* JSON for programs: one object on standard output. Sizes and counters are numbers, enumerators and
 * identifying numbers words, flags lists of words. See emit.h. */
#include "emit.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 16

struct emit_json {
    struct emit base;
    int depth;
    json_t *levels[MAX_DEPTH]; /* [0] is owned, the others belong to it */
    bool failed;
};

/* Text from drivers may be anything; JSON must be UTF-8. */
static json_t *string_make(const char *text)
{
    json_t *value = json_string(text);
    if (value) {
        return value;
    }
    char *clean = strdup(text);
    for (char *at = clean; at && *at; at++) {
        *at = (unsigned char)*at < 0x80 ? *at : '?';
    }
    value = clean ? json_string(clean) : NULL;
    free(clean);
    return value;
}

static void value_add(struct emit_json *emit, const char *key, json_t *value)
{
    json_t *parent = emit->depth ? emit->levels[emit->depth - 1] : NULL;
    int status = -1;
    if (parent && value) {
        status = key && json_is_object(parent) ? json_object_set_new(parent, key, value)
                                               : json_array_append_new(parent, value);
    }
    emit->failed |= status != 0;
}

static void json_begin(struct emit *base, const char *key, enum emit_shape shape)
{
    struct emit_json *emit = (struct emit_json *)base;
    if (emit->depth == MAX_DEPTH) {
        abort();
    }
    json_t *value = shape == EMIT_OBJECT ? json_object() : json_array();
    if (emit->depth) {
        value_add(emit, key, value);
    }
    emit->levels[emit->depth++] = value;
}

static void json_end(struct emit *base)
{
    struct emit_json *emit = (struct emit_json *)base;
    if (emit->depth > 1) { /* the outermost one is written at the end */
        emit->depth--;
    }
}

static void json_text(struct emit *base, const char *key, const char *text)
{
    value_add((struct emit_json *)base, key, string_make(text));
}

static void json_number(struct emit *base, const char *key, uint64_t number, enum emit_unit unit)
{
    char text[32];
    if (unit == EMIT_HEX || number > INT64_MAX) { /* JSON integers are signed here */
        snprintf(text, sizeof(text), "0x%" PRIx64, number);
        json_text(base, key, text);
        return;
    }
    value_add((struct emit_json *)base, key, json_integer((json_int_t)number));
}

static void json_signed(struct emit *base, const char *key, int64_t number)
{
    value_add((struct emit_json *)base, key, json_integer((json_int_t)number));
}

static void json_float(struct emit *base, const char *key, double number)
{
    json_t *value = json_real(number);
    value_add((struct emit_json *)base, key, value ? value : json_null()); /* no NaN in JSON */
}

static void json_bool(struct emit *base, const char *key, bool value)
{
    value_add((struct emit_json *)base, key, json_boolean(value));
}

static bool json_finish(struct emit *base)
{
    struct emit_json *emit = (struct emit_json *)base;
    bool fine = !emit->failed && emit->levels[0] &&
                json_dumpf(emit->levels[0], stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER) == 0;
    json_decref(emit->levels[0]);
    free(emit);
    putchar('\n');
    return fine && fflush(stdout) == 0 && !ferror(stdout);
}

struct emit *emit_json_create(void)
{
    static const struct emit_ops ops = {
        .begin = json_begin,
        .end = json_end,
        .text = json_text,
        .number = json_number,
        .integer = json_signed,
        .real = json_float,
        .boolean = json_bool,
        .finish = json_finish,
    };
    struct emit_json *emit = calloc(1, sizeof(*emit));
    if (!emit) {
        return NULL;
    }
    emit->base.ops = &ops;
    return &emit->base;
}
