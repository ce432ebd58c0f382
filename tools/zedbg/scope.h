/* Functions and blocks of the source around an address. Calls that were inlined are frames of their
 * own. */
#ifndef ZEDBG_SCOPE_H
#define ZEDBG_SCOPE_H

#include "image.h"

/* One function of the source at an address. */
struct scope {
    struct image *image;
    const char *name;
    Dwarf_Die *dies; /* its blocks, innermost first; the last is the function or inlined call */
    int count;
    bool is_inlined;
    const char *call_file; /* of an inlined call; NULL: unknown */
    int call_line;
};

/* Returns the functions at an address, innermost first, in scratch memory. The last one has code of
 * its own, the others are inlined into it. Returns 0 without debug information of it. */
size_t scopes_at(struct image *image, uint64_t address, struct scope **scopes);
/* Returns the offset of the innermost block at an address; 0: none. It tells copies of a line
 * apart. */
Dwarf_Off scope_block(struct image *image, uint64_t address);

/* Finds the variable or argument that a name means in a scope: the innermost one, or one of the
 * module. */
bool scope_variable(const struct scope *scope, const char *name, Dwarf_Die *variable);
/* Finds a variable among the children of a block. */
bool scope_child(Dwarf_Die *block, const char *name, Dwarf_Die *variable);
/* Finds a variable at module scope. */
bool scope_global(struct image *image, const char *name, Dwarf_Die *variable);
/* Calls `visit` for each variable and argument of a scope, innermost blocks first. Variables of the
 * compiler are left out. */
void scope_variables(const struct scope *scope, void (*visit)(void *context, Dwarf_Die *variable),
                     void *context);
/* Returns the name of a function, variable, member or type, or "". */
const char *scope_name(Dwarf_Die *die);
/* Returns whether a scope's function has arguments; calls `visit` for each. */
void scope_arguments(const struct scope *scope, void (*visit)(void *context, Dwarf_Die *argument),
                     void *context);

/* Calls `visit` for each function with code that has a name, until it returns false. */
void scope_functions(struct image *image, bool (*visit)(void *context, Dwarf_Die *function),
                     void *context);

/* The variable that describes a chunk of work-items (chunk.h). */
#define SCOPE_CHUNK "geoid_chunk"

#endif
