/* Values of variables and of their parts. A value in memory is read when it is needed, so that an
 * element of a large array costs no more than its own bytes. */
#ifndef ZEDBG_VALUE_H
#define ZEDBG_VALUE_H

#include "location.h"
#include "type.h"

struct value {
    const struct type *type;
    bool in_memory;
    uint64_t address;
    const uint8_t *bytes;   /* not in memory, or read: the value, in scratch memory; or NULL */
    const uint8_t *missing; /* not 0 for each byte that is not known; NULL: all are known */
    int reg;                /* general register that it is, by DWARF's number; or -1 */
    uint64_t unit;          /* gathered from elements of this size; 0: it is not gathered */
    uint64_t row;           /* their distance in memory */
    uint64_t origin;        /* address of the first element of the gathered whole */
    uint64_t offset;        /* of the value in the gathered whole */
};

/* Each function stores a value, and fails with a text. */

bool value_variable(const struct state *state, Dwarf_Die *variable, struct value *value);
/* The copy of one lane. A value that all lanes share is its own copy. */
bool value_lane(const struct state *state, const struct value *all, uint64_t lane,
                struct value *value);
/* A member of a structure, or components of a vector ("x", "s3", "yzx", "hi"). */
bool value_member(const struct state *state, const struct value *whole, const char *name,
                  struct value *value);
/* An element of an array or vector, or what a pointer points to. */
bool value_index(const struct state *state, const struct value *whole, int64_t index,
                 struct value *value);
/* The object that a pointer points to. */
bool value_target(const struct state *state, const struct value *pointer, struct value *value);

struct value value_of_integer(const struct type *type, uint64_t number);
struct value value_of_double(double number);

/* Returns whether all bytes of a value are next to each other in memory, and where. */
bool value_address(const struct value *value, uint64_t *address);
/* Reads the bytes of a value that is in memory. */
bool value_load(const struct state *state, struct value *value);
/* Converts numbers. Both fail for other types and for bytes that are not known. A float is cut to
 * an integer. */
bool value_integer(const struct state *state, const struct value *value, int64_t *number);
bool value_double(const struct state *state, const struct value *value, double *number);
/* Converts a number to the bytes of a type; `bytes` has room for 8. */
bool value_convert(const struct state *state, const struct value *value, const struct type *type,
                   uint8_t *bytes);

#endif
