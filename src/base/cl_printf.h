/* OpenCL C's printf (6.15.14): formats typed arguments to text.
 *
 * Compiled kernels describe their arguments by types and values. The format is a string in their
 * memory. Both are untrusted. The format is parsed here, directive by directive, and each number is
 * printed by snprintf with a conversion string built here. The kernel's format never reaches the C
 * library, and %n does not exist.
 *
 *     %[flags][width][.precision][v2|v3|v4|v8|v16][hh|h|hl|l|ll|j|z|t|L]conversion
 *
 * OpenCL leaves a directive undefined that has no argument, an argument of another kind or an
 * unknown conversion. Here the directive's own text is printed, and the result says so. Integers of
 * another width are converted to the directive's width, as C does on most machines.
 *
 * Backends use it to print, the compiler uses it to warn. */
#ifndef GEO_BASE_CL_PRINTF_H
#define GEO_BASE_CL_PRINTF_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum length of the text of one call, in bytes. */
#define GEO_CL_PRINTF_BYTES (1u << 20)

enum geo_cl_kind {
    GEO_CL_INTEGER = 1,
    GEO_CL_FLOAT,
    GEO_CL_POINTER,
};

/* An argument's type. Compiled code contains arrays of this struct (calling convention:
 * native/abi.h). */
struct geo_cl_type {
    uint8_t kind;       /* enum geo_cl_kind */
    uint8_t bytes;      /* of one component: 1, 2, 4, 8 */
    uint8_t components; /* 1: a scalar */
    uint8_t reserved;
};
_Static_assert(sizeof(struct geo_cl_type) == 4, "kernel calling contract");

struct geo_cl_arguments {
    const struct geo_cl_type *types;
    uint32_t count;
    const uint64_t *values; /* the bits of every component of every argument, zero-extended */
    /* Appends the string at `address`, at most `limit` bytes, to `out`. Returns false for an
     * invalid address. */
    bool (*string)(void *data, uint64_t address, size_t limit, struct geo_strbuf *out);
    void *data; /* passed to `string` */
};

/* One parsed directive. */
struct geo_cl_directive {
    size_t length;  /* bytes from '%' to the conversion */
    char flags[6];  /* the flags of "-+ #0" that are present, each once */
    uint32_t width; /* above GEO_CL_PRINTF_BYTES: too large */
    uint32_t precision;
    bool has_precision;
    uint32_t components; /* 1: scalar */
    uint32_t bits;       /* width of an integer by its length modifier; 0: no modifier */
    char conversion;     /* '\0': not a directive */
};

/* Parses the directive at `format`, which starts with '%' and has `length` characters. */
void geo_cl_directive_parse(const char *format, size_t length, struct geo_cl_directive *directive);

/* Returns whether the directive can print an argument of this type. "%%" takes no argument and must
 * not be passed. */
bool geo_cl_directive_fits(const struct geo_cl_directive *directive,
                           const struct geo_cl_type *type);

enum geo_cl_result {
    GEO_CL_DONE,
    GEO_CL_MISFIT,   /* at least one directive was printed as its own text */
    GEO_CL_TOO_LONG, /* the text is cut: it exceeds the limit of `out`, or memory ran out */
};

/* Appends the formatted text to `out`, which has a limit set by the caller. The format has `length`
 * bytes. */
enum geo_cl_result geo_cl_printf(struct geo_strbuf *out, const char *format, size_t length,
                                 const struct geo_cl_arguments *arguments);

#endif
