/* The property structures of the API as data, and a function that prints any of them.
 *
 * The data is generated from the registry (describe_data.c), so a structure or member that a later
 * version adds is printed without a change here. */
#ifndef ZEINFO_DESCRIBE_H
#define ZEINFO_DESCRIBE_H

#include "emit.h"

#include <stddef.h>
#include <stdint.h>

enum describe_kind {
    DESCRIBE_UINT,
    DESCRIBE_INT,
    DESCRIBE_FLOAT,
    DESCRIBE_BOOL,
    DESCRIBE_ENUM,
    DESCRIBE_FLAGS,
    DESCRIBE_VERSION, /* major in the high 16 bits, minor in the low ones */
    DESCRIBE_TEXT,
    DESCRIBE_BYTES,
    DESCRIBE_STRUCT,
    DESCRIBE_OTHER, /* pointers and handles: nothing to print */
};

struct describe_value {
    const char *name; /* without the prefix that all names of the enumeration share */
    int64_t value;
};

struct describe_enum {
    enum describe_kind kind; /* ENUM, FLAGS or VERSION */
    size_t count;
    const struct describe_value *values;
};

struct describe_struct;

struct describe_member {
    const char *name;
    enum describe_kind kind;
    size_t offset, size; /* in bytes; size of an element where there are several */
    size_t count;        /* 0: no array */
    const struct describe_enum *values;
    const struct describe_struct *type;
};

struct describe_struct {
    const char *name;
    uint32_t stype; /* 0: the structure has no tag */
    size_t size;
    size_t member_count; /* without stype and pNext */
    const struct describe_member *members;
    size_t extends_count;
    const struct describe_struct *const *extends;
};

struct describe_function {
    const char *name;
    const char *getter; /* of its table */
    size_t slot;
    unsigned since_minor;
};

extern const struct describe_struct *const describe_structs[];
extern const size_t describe_struct_count;
extern const struct describe_function describe_functions[];
extern const size_t describe_function_count;
extern const struct describe_enum *const describe_results;

/* Returns the structure of that name, or NULL. */
const struct describe_struct *describe_find(const char *name);

/* Returns the name of a result, such as "ERROR_DEVICE_LOST"; never NULL. */
const char *describe_result(int64_t result);

/* Prints the members of a structure into the open object of `emit`. */
void describe_print(struct emit *emit, const struct describe_struct *type, const void *data);

#endif
