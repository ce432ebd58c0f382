/* Types of the source. A type with a copy for each lane, as the compiler describes variables that
 * work-items do not share, is a kind of its own. */
#ifndef ZEDBG_TYPE_H
#define ZEDBG_TYPE_H

#include "image.h"

enum type_kind {
    TYPE_VOID,
    TYPE_SIGNED,
    TYPE_UNSIGNED,
    TYPE_CHARACTER, /* signed */
    TYPE_UNSIGNED_CHARACTER,
    TYPE_BOOL,
    TYPE_FLOAT, /* 2, 4 or 8 bytes */
    TYPE_POINTER,
    TYPE_ARRAY,
    TYPE_VECTOR, /* of OpenCL; of 3 components, it has the size of 4 */
    TYPE_STRUCT,
    TYPE_UNION,
    TYPE_ENUM,
    TYPE_LANES,   /* a copy of `target` for each of `count` lanes */
    TYPE_UNKNOWN, /* it cannot be shown */
};

/* How the copies of the lanes lie in memory. */
enum type_form {
    FORM_ROW,         /* one after the other, each in `unit` bytes */
    FORM_INTERLEAVED, /* element i of all lanes side by side; `unit` is an element's size */
};

struct type {
    enum type_kind kind;
    const char *name; /* "": none */
    uint64_t size;    /* in bytes */
    uint64_t count;   /* of elements, components or lanes */
    enum type_form form;
    uint64_t unit;
    struct image *image;       /* NULL: a type of the debugger's own */
    Dwarf_Die die;             /* of the type without its names and qualifiers */
    Dwarf_Die inner;           /* of what it points to or has elements of; inner.addr NULL: void */
    int dimension;             /* of an array: which of its dimensions this type is */
    const struct type *target; /* NULL: not made yet; type_target() makes it */
};

struct type_member {
    const char *name; /* "": a structure or union without a name */
    const struct type *type;
    uint64_t offset;
    unsigned bit_offset, bit_size; /* of a bit field; bit_size 0: it is none */
};

/* Types of the debugger's own. */
extern const struct type type_long, type_ulong, type_int, type_double, type_bool;

/* Returns the type of a variable, member or function's result, or that which a DIE is. Never NULL.
 * The image owns it. */
const struct type *type_of(struct image *image, Dwarf_Die *die);
const struct type *type_get(struct image *image, Dwarf_Die *die);
/* Returns what a pointer points to, or the type of an element, component or lane. */
const struct type *type_target(const struct type *type);
/* Makes a pointer's type, in scratch memory. */
const struct type *type_pointer(const struct type *target);

/* Calls `visit` for each member of a structure or union until it returns false. */
void type_members(const struct type *type,
                  bool (*visit)(void *context, const struct type_member *member), void *context);
/* Finds a member by name, also within members without a name. */
bool type_member(const struct type *type, const char *name, struct type_member *member);
/* Returns the name of an enumerator by its value, or NULL. */
const char *type_enumerator(const struct type *type, int64_t value);

bool type_is_integer(const struct type *type); /* or a character, bool or enumeration */
bool type_is_number(const struct type *type);  /* or a float */
bool type_is_signed(const struct type *type);

/* Returns a type as it is written, in scratch memory: "float *", "int [3]". */
const char *type_text(const struct type *type);

void types_free(struct image *image);

#endif
