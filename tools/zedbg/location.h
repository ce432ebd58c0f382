/* Evaluates DWARF's descriptions of where a variable is. */
#ifndef ZEDBG_LOCATION_H
#define ZEDBG_LOCATION_H

#include "image.h"

/* The state in which a function is stopped: the innermost frame, or a caller's with the registers
 * that are known there. */
struct state {
    struct image *image;
    uint64_t pc;  /* of the code that runs: for a caller, within the call instruction */
    uint64_t cfa; /* the stack pointer before the call of the function */
    bool cfa_known;
    void *context;
    bool (*read_memory)(void *context, uint64_t address, void *bytes, size_t size);
    /* Reads the first `size` bytes of a register by its number in DWARF. */
    bool (*read_register)(void *context, unsigned number, void *bytes, size_t size);
};

/* Where a value is. */
struct location {
    bool in_memory;
    uint64_t address;
    uint8_t *bytes;   /* otherwise: the value, in scratch memory */
    uint8_t *missing; /* not 0 for each byte that is not known; NULL: all are known */
};

/* Finds a variable's location. `size` is the size of its type. Fails if it has none at this
 * address: the code is optimised. */
bool location_find(const struct state *state, Dwarf_Die *variable, uint64_t size,
                   struct location *location);
/* Evaluates an expression of unwinding information to an address. */
bool location_number(const struct state *state, Dwarf_Op *ops, size_t count, uint64_t *number);
/* Reads the value that a register has in the caller from where unwinding information says. */
bool location_saved(const struct state *state, Dwarf_Op *ops, size_t count, uint64_t *value);

#endif
