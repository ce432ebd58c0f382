/* Writes replacements for conversions to integers (OpenCL C 6.2.3). See convert.h. */
#include "clang/convert.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct integer {
    const char *name, *least, *most;
    int bits;
    bool is_signed;
};

static const struct integer integers[] = {
    {"char", "CHAR_MIN", "CHAR_MAX", 8, true},   {"uchar", "0", "UCHAR_MAX", 8, false},
    {"short", "SHRT_MIN", "SHRT_MAX", 16, true}, {"ushort", "0", "USHRT_MAX", 16, false},
    {"int", "INT_MIN", "INT_MAX", 32, true},     {"uint", "0", "UINT_MAX", 32, false},
    {"long", "LONG_MIN", "LONG_MAX", 64, true},  {"ulong", "0", "ULONG_MAX", 64, false},
};
static const char *const widths[] = {"", "2", "3", "4", "8", "16"};
static const char *const modes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* CALL passes the operand to clang's function N, SCALAR and VECTOR convert the value V of `x`.
 * R is the result's type, S the operand's. */
static const char *const macros[] = {
    "#define GEOID_STATIC static inline __attribute__((overloadable, always_inline))",
    "#define GEOID_NAMED(R, N, S) GEOID_STATIC R geoid_##N(S x)",
    "#define GEOID_CALL(R, N, S) GEOID_NAMED(R, N, S) { return N(x); }",
    "#define GEOID_SCALAR(R, N, S, V) GEOID_NAMED(R, N, S) { return (R)(V); }",
    "#define GEOID_VECTORS(V, R) __builtin_convertvector(V, R)",
    "#define GEOID_VECTOR(R, N, S, V) GEOID_NAMED(R, N, S) { return GEOID_VECTORS(V, R); }",
};

/* A function to replace. */
struct conversion {
    const struct integer *to;
    const char *width;
    bool saturates;
    char name[32];
};

/* Writes the replacement for operands of one integer type. */
static void integer_write(struct geo_strbuf *out, const struct conversion *conversion,
                          const struct integer *from)
{
    const struct integer *to = conversion->to;
    const char *width = conversion->width, *name = conversion->name;
    const char *form = *width ? "VECTOR" : "SCALAR";
    if (from->is_signed != to->is_signed) {
        geo_strbuf_printf(out, "GEOID_CALL(%s%s, %s, %s%s)\n", to->name, width, name, from->name,
                          width);
    } else if (conversion->saturates && from->bits > to->bits) {
        geo_strbuf_printf(out, "GEOID_%s(%s%s, %s, %s%s, clamp(x, (%s)%s, (%s)%s))\n", form,
                          to->name, width, name, from->name, width, from->name, to->least,
                          from->name, to->most);
    } else {
        geo_strbuf_printf(out, "GEOID_%s(%s%s, %s, %s%s, x)\n", form, to->name, width, name,
                          from->name, width);
    }
}

/* Writes the replacements of one function, for all types of operands. */
static void conversion_write(struct geo_strbuf *out, const struct conversion *conversion)
{
    const char *to = conversion->to->name, *width = conversion->width, *name = conversion->name;
    for (size_t i = 0; i < COUNT(integers); i++) {
        integer_write(out, conversion, &integers[i]);
    }
    geo_strbuf_printf(out, "GEOID_CALL(%s%s, %s, float%s)\n", to, width, name, width);
    geo_strbuf_printf(out, "#ifdef cl_khr_fp64\nGEOID_CALL(%s%s, %s, double%s)\n#endif\n", to,
                      width, name, width);
    geo_strbuf_printf(out, "#ifdef cl_khr_fp16\nGEOID_CALL(%s%s, %s, half%s)\n#endif\n", to, width,
                      name, width);
    geo_strbuf_printf(out, "#define %s geoid_%s\n", name, name);
}

/* Returns whether a program names a conversion to a type. */
static bool names(const char *program, const char *type, const char *width)
{
    char name[32];
    size_t length = (size_t)snprintf(name, sizeof(name), "convert_%s%s", type, width);
    for (const char *at = strstr(program, name); at; at = strstr(at + 1, name)) {
        if (!isdigit((unsigned char)at[length])) {
            return true;
        }
    }
    return false;
}

void geo_clang_convert(struct geo_strbuf *out, const char *program)
{
    /* A type's name may be joined to the rest by macros. */
    bool all = !program || strstr(program, "##");
    size_t saturations = !program || strstr(program, "_sat") ? 2 : 1;
    size_t mode_count = !program || strstr(program, "_rt") ? COUNT(modes) : 1;
    geo_strbuf_printf(out, "#ifdef cl_khr_fp16\n"
                           "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                           "#endif\n");
    for (size_t i = 0; i < COUNT(macros); i++) {
        geo_strbuf_printf(out, "%s\n", macros[i]);
    }
    for (size_t i = 0; i < COUNT(integers) * COUNT(widths); i++) {
        struct conversion conversion = {.to = &integers[i / COUNT(widths)],
                                        .width = widths[i % COUNT(widths)]};
        if (!all && !names(program, conversion.to->name, conversion.width)) {
            continue;
        }
        for (size_t j = 0; j < saturations * mode_count; j++) {
            conversion.saturates = j >= mode_count;
            snprintf(conversion.name, sizeof(conversion.name), "convert_%s%s%s%s",
                     conversion.to->name, conversion.width, conversion.saturates ? "_sat" : "",
                     modes[j % mode_count]);
            conversion_write(out, &conversion);
        }
    }
    geo_strbuf_printf(out, "#ifdef cl_khr_fp16\n"
                           "#pragma OPENCL EXTENSION cl_khr_fp16 : disable\n"
                           "#endif\n");
}
