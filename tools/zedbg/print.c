/* Prints values by their types. See print.h. */
#include "print.h"

#include "error.h"
#include "memory.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENT_LIMIT 200
#define REPEAT_LIMIT  10 /* equal elements in a row that are printed once */
#define DEPTH_LIMIT   20

struct printer {
    FILE *out;
    const struct state *state;
    enum style style;
    int depth;
    uint64_t left; /* elements that may still be printed */
};

static void any(struct printer *printer, const struct value *value);

/* ---- numbers ---- */

const char *print_float(double number, uint64_t size)
{
    if (isnan(number) || isinf(number)) {
        return isnan(number) ? (signbit(number) ? "-nan" : "nan") : (number < 0 ? "-inf" : "inf");
    }
    return scratch_format("%.*g", size == 8 ? 17 : size == 4 ? 9 : 5, number);
}

static void character(FILE *out, int code)
{
    if (isprint(code)) {
        fprintf(out, "%s%c", code == '\'' || code == '\\' ? "\\" : "", code);
    } else {
        fprintf(out, "\\%03o", (unsigned)code & 0xff);
    }
}

static void binary(FILE *out, uint64_t bits)
{
    int top = 63;
    while (top > 0 && !(bits >> top & 1)) {
        top--;
    }
    for (; top >= 0; top--) {
        fputc('0' + (int)(bits >> top & 1), out);
    }
}

static void integer(struct printer *printer, const struct type *type, int64_t number)
{
    const unsigned unused = type->size && type->size < 8 ? 64 - 8 * (unsigned)type->size : 0;
    const uint64_t bits = (uint64_t)number << unused >> unused;
    const bool is_character = type->kind == TYPE_CHARACTER || type->kind == TYPE_UNSIGNED_CHARACTER;
    const char *name = type_enumerator(type, number);
    switch (printer->style) {
    case STYLE_HEX:
        fprintf(printer->out, "0x%llx", (unsigned long long)bits);
        return;
    case STYLE_BINARY:
        binary(printer->out, bits);
        return;
    case STYLE_SIGNED:
        fprintf(printer->out, "%lld", (long long)((int64_t)(bits << unused) >> unused));
        return;
    case STYLE_UNSIGNED:
        fprintf(printer->out, "%llu", (unsigned long long)bits);
        return;
    default:
        break;
    }
    if (type->kind == TYPE_POINTER) {
        fprintf(printer->out, "0x%llx", (unsigned long long)bits);
    } else if (name && printer->style != STYLE_CHARACTER) {
        fputs(name, printer->out);
    } else if (type->kind == TYPE_BOOL && bits < 2) {
        fputs(bits ? "true" : "false", printer->out);
    } else {
        fprintf(printer->out, type_is_signed(type) ? "%lld" : "%llu", (long long)number);
    }
    if (is_character || printer->style == STYLE_CHARACTER) {
        fputs(" '", printer->out);
        character(printer->out, (int)(bits & 0xff));
        fputc('\'', printer->out);
    }
}

static bool is_missing(const struct value *value)
{
    for (uint64_t i = 0; value->missing && i < value->type->size; i++) {
        if (value->missing[i]) {
            return true;
        }
    }
    return false;
}

static void number(struct printer *printer, const struct value *value)
{
    double real;
    int64_t whole;
    if (value->type->kind == TYPE_FLOAT && printer->style != STYLE_HEX &&
        printer->style != STYLE_BINARY) {
        if (value_double(printer->state, value, &real)) {
            fputs(print_float(real, value->type->size), printer->out);
            return;
        }
    } else if (value->type->kind == TYPE_FLOAT) {
        static const struct type bits[] = {{.kind = TYPE_UNSIGNED, .name = "", .size = 2},
                                           {.kind = TYPE_UNSIGNED, .name = "", .size = 4},
                                           {.kind = TYPE_UNSIGNED, .name = "", .size = 8}};
        struct value raw = *value;
        raw.type = &bits[value->type->size == 2 ? 0 : value->type->size == 4 ? 1 : 2];
        number(printer, &raw);
        return;
    } else if (value_integer(printer->state, value, &whole)) {
        integer(printer, value->type, whole);
        return;
    }
    fprintf(printer->out, "<%s>", error_text());
}

/* ---- elements ---- */

/* Prints characters as a text. Returns false if no 0 is behind the last one, or if one of
 * them cannot be printed. */
static bool text(struct printer *printer, const struct value *array)
{
    const struct type *target = type_target(array->type);
    uint64_t length = 0;
    if (target->kind != TYPE_CHARACTER || target->size != 1 || array->missing ||
        printer->style != STYLE_USUAL) {
        return false;
    }
    while (length < array->type->count && isprint(array->bytes[length])) {
        length++;
    }
    for (uint64_t i = length; i < array->type->count; i++) {
        if (array->bytes[i]) {
            return false;
        }
    }
    if (length == 0 || length == array->type->count) {
        return false;
    }
    fprintf(printer->out, "\"%.*s\"", (int)length, (const char *)array->bytes);
    return true;
}

static bool same(const struct value *a, const struct value *b)
{
    return a->bytes && b->bytes && !a->missing && !b->missing &&
           memcmp(a->bytes, b->bytes, a->type->size) == 0;
}

/* Prints the elements of an array, vector or variable of all lanes, separated by commas. */
static void elements(struct printer *printer, const struct value *whole,
                     bool (*get)(const struct state *, const struct value *, int64_t,
                                 struct value *))
{
    for (uint64_t i = 0; i < whole->type->count;) {
        struct value element, next;
        uint64_t repeats = 1;
        fputs(i ? ", " : "", printer->out);
        if (printer->left == 0) {
            fputs("...", printer->out);
            return;
        }
        printer->left--;
        if (!get(printer->state, whole, (int64_t)i, &element)) {
            fprintf(printer->out, "<%s>", error_text());
            return;
        }
        while (i + repeats < whole->type->count &&
               get(printer->state, whole, (int64_t)(i + repeats), &next) && same(&element, &next)) {
            repeats++;
        }
        any(printer, &element);
        if (repeats >= REPEAT_LIMIT) {
            fprintf(printer->out, " <repeats %llu times>", (unsigned long long)repeats);
            i += repeats;
        } else {
            i++;
        }
    }
}

static bool lane_get(const struct state *state, const struct value *all, int64_t lane,
                     struct value *value)
{
    return value_lane(state, all, (uint64_t)lane, value);
}

/* ---- members ---- */

struct members {
    struct printer *printer;
    const struct value *whole;
    bool first;
};

static bool member_visit(void *context, const struct type_member *member)
{
    struct members *members = context;
    FILE *out = members->printer->out;
    struct value value;
    fputs(members->first ? "" : ", ", out);
    members->first = false;
    if (*member->name) {
        fprintf(out, "%s = ", member->name);
        if (!value_member(members->printer->state, members->whole, member->name, &value)) {
            fprintf(out, "<%s>", error_text());
            return true;
        }
    } else { /* a structure or base class without a name */
        const uint64_t size = members->whole->type->size;
        if (member->offset > size || member->type->size > size - member->offset) {
            return true;
        }
        value = *members->whole;
        value.type = member->type;
        value.address += member->offset;
        value.bytes = value.bytes ? value.bytes + member->offset : NULL;
        value.missing = value.missing ? value.missing + member->offset : NULL;
    }
    any(members->printer, &value);
    return true;
}

/* ---- all types ---- */

static void any(struct printer *printer, const struct value *given)
{
    struct value value = *given;
    struct members members = {printer, &value, true};
    if (printer->depth == DEPTH_LIMIT) {
        fputs("...", printer->out);
        return;
    }
    if (value.type->kind == TYPE_VOID || value.type->kind == TYPE_UNKNOWN) {
        fputs(value.type->kind == TYPE_VOID ? "void" : "<unknown type>", printer->out);
        return;
    }
    if (!value_load(printer->state, &value)) {
        fprintf(printer->out, "<%s>", error_text());
        return;
    }
    printer->depth++;
    switch (value.type->kind) {
    case TYPE_LANES:
        fputc('{', printer->out);
        elements(printer, &value, lane_get);
        fputc('}', printer->out);
        break;
    case TYPE_VECTOR:
        fprintf(printer->out, "(%s)(", type_text(value.type));
        elements(printer, &value, value_index);
        fputc(')', printer->out);
        break;
    case TYPE_ARRAY:
        if (!text(printer, &value)) {
            fputc('{', printer->out);
            elements(printer, &value, value_index);
            fputc('}', printer->out);
        }
        break;
    case TYPE_STRUCT:
    case TYPE_UNION:
        fputc('{', printer->out);
        type_members(value.type, member_visit, &members);
        fputc('}', printer->out);
        break;
    default:
        if (is_missing(&value)) {
            fputs("<optimized out>", printer->out);
        } else {
            number(printer, &value);
        }
        break;
    }
    printer->depth--;
}

const char *print_value(const struct state *state, const struct value *value, enum style style)
{
    char *made = NULL;
    size_t size = 0;
    struct printer printer = {
        .out = open_memstream(&made, &size), .state = state, .style = style, .left = ELEMENT_LIMIT};
    if (!printer.out) {
        return "<out of memory>";
    }
    any(&printer, value);
    if (fclose(printer.out) != 0) {
        free(made);
        return "<out of memory>";
    }
    const char *copy = scratch_format("%s", made);
    free(made);
    return copy;
}
