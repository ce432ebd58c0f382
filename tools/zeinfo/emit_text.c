/* The program zeinfo: aligned text for people. See emit.h. */
#include "emit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_DEPTH    16
#define VALUE_COLUMN 44

struct emit_text {
    struct emit base;
    int depth; /* levels that are open */
    struct {
        enum emit_shape shape;
        const char *key; /* of a list: names its items */
        int indent;      /* of what stands in it */
        unsigned items;
    } levels[MAX_DEPTH];
};

/* Prints indentation and name of the next item of the innermost level, "key [2]" in a list; returns
 * the width. */
static int name_print(struct emit_text *emit, const char *key)
{
    int level = emit->depth - 1, indent = emit->levels[level].indent;
    unsigned number = emit->levels[level].items++;
    if (emit->levels[level].shape == EMIT_LIST) {
        return printf("%*s%s [%u]", indent, "", emit->levels[level].key, number);
    }
    return printf("%*s%s", indent, "", key ? key : "");
}

/* Begins a value: on a line of its own behind its name, or in a row behind the one before. */
static void value_begin(struct emit_text *emit, const char *key)
{
    int level = emit->depth - 1;
    if (emit->levels[level].shape == EMIT_ROW) {
        printf("%s", emit->levels[level].items++ ? ", " : "");
        return;
    }
    int width = name_print(emit, key);
    printf("%*s ", width < VALUE_COLUMN ? VALUE_COLUMN - width : 1, "");
}

static void value_end(const struct emit_text *emit)
{
    if (emit->levels[emit->depth - 1].shape != EMIT_ROW) {
        putchar('\n');
    }
}

static void text_begin(struct emit *base, const char *key, enum emit_shape shape)
{
    struct emit_text *emit = (struct emit_text *)base;
    if (emit->depth == MAX_DEPTH) {
        abort();
    }
    int indent = emit->depth ? emit->levels[emit->depth - 1].indent : 0;
    if (emit->depth && shape == EMIT_OBJECT) {
        name_print(emit, key);
        putchar('\n');
        indent += 2;
    } else if (shape == EMIT_ROW) {
        value_begin(emit, key);
    }
    int level = emit->depth++; /* a list shows by its items, which carry its name */
    emit->levels[level].shape = shape;
    emit->levels[level].key = key;
    emit->levels[level].indent = indent;
    emit->levels[level].items = 0;
}

static void text_end(struct emit *base)
{
    struct emit_text *emit = (struct emit_text *)base;
    int level = --emit->depth;
    unsigned items = emit->levels[level].items;
    if (emit->levels[level].shape == EMIT_ROW) {
        printf(items ? "\n" : "-\n");
    } else if (emit->levels[level].shape == EMIT_LIST && items == 0) {
        value_begin(emit, emit->levels[level].key);
        printf("-\n");
    }
}

static void text_text(struct emit *base, const char *key, const char *text)
{
    struct emit_text *emit = (struct emit_text *)base;
    value_begin(emit, key);
    printf("%s", text);
    value_end(emit);
}

static void bytes_print(uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double scaled = (double)bytes;
    int unit = 0;
    while (scaled >= 1024 && unit < 6) {
        scaled /= 1024;
        unit++;
    }
    if (unit) {
        printf("%" PRIu64 " (%.4g %s)", bytes, scaled, units[unit]);
    } else {
        printf("%" PRIu64, bytes);
    }
}

static void text_number(struct emit *base, const char *key, uint64_t number, enum emit_unit unit)
{
    struct emit_text *emit = (struct emit_text *)base;
    value_begin(emit, key);
    if (unit == EMIT_HEX) {
        printf("0x%" PRIx64, number);
    } else if (unit == EMIT_BYTES) {
        bytes_print(number);
    } else {
        printf("%" PRIu64, number);
    }
    value_end(emit);
}

static void text_integer(struct emit *base, const char *key, int64_t number)
{
    struct emit_text *emit = (struct emit_text *)base;
    value_begin(emit, key);
    printf("%" PRId64, number);
    value_end(emit);
}

static void text_real(struct emit *base, const char *key, double number)
{
    struct emit_text *emit = (struct emit_text *)base;
    value_begin(emit, key);
    printf("%g", number);
    value_end(emit);
}

static void text_boolean(struct emit *base, const char *key, bool value)
{
    struct emit_text *emit = (struct emit_text *)base;
    value_begin(emit, key);
    printf("%s", value ? "yes" : "no");
    value_end(emit);
}

static bool text_finish(struct emit *base)
{
    free(base);
    return fflush(stdout) == 0 && !ferror(stdout);
}

struct emit *emit_text_create(void)
{
    static const struct emit_ops ops = {
        .begin = text_begin,
        .end = text_end,
        .text = text_text,
        .number = text_number,
        .integer = text_integer,
        .real = text_real,
        .boolean = text_boolean,
        .finish = text_finish,
    };
    struct emit_text *emit = calloc(1, sizeof(*emit));
    if (!emit) {
        return NULL;
    }
    emit->base.ops = &ops;
    return &emit->base;
}
