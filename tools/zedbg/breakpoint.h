/* Breakpoints. They outlive the process: without a module that has their place, they are pending. */
#ifndef ZEDBG_BREAKPOINT_H
#define ZEDBG_BREAKPOINT_H

#include "module.h"

enum breakpoint_kind { BREAK_LINE, BREAK_FUNCTION, BREAK_ADDRESS };

struct breakpoint {
    struct breakpoint *next;
    int number;
    enum breakpoint_kind kind;
    char *name; /* of the file or function */
    int line;   /* as given */
    uint64_t address;
    char *condition; /* NULL: none */
    bool enabled;
    bool temporary; /* it is deleted at its first hit */
    unsigned hits;
    uint64_t *addresses; /* where it is in loaded modules; the code stops there if it is enabled */
    size_t count;
};

/* Adds a breakpoint, and places it in all modules. Texts are copied. Returns NULL on failure. */
struct breakpoint *breakpoint_add(enum breakpoint_kind kind, const char *name, int line,
                                  uint64_t address, const char *condition, bool temporary);
struct breakpoint *breakpoint_find(int number);
/* Calls of all breakpoints: returns the one behind `breakpoint`, the first for NULL. */
struct breakpoint *breakpoint_next(const struct breakpoint *breakpoint);
bool breakpoint_delete(struct breakpoint *breakpoint);
bool breakpoint_enable(struct breakpoint *breakpoint, bool enabled);
/* Returns the next enabled breakpoint behind `after` that is at an address, or NULL. */
struct breakpoint *breakpoint_at(uint64_t address, const struct breakpoint *after);
/* Returns the place as text in scratch memory: "stencil.cl:10". */
const char *breakpoint_text(const struct breakpoint *breakpoint);

/* Places breakpoints in a module that was loaded. */
bool breakpoints_place(struct module *module);
/* Forgets the places in a module before it is closed. */
void breakpoints_displace(const struct module *module);
/* Forgets all places: the process has ended. */
void breakpoints_forget(void);
/* Takes all changes back before the process is left alone. */
bool breakpoints_remove(void);

#endif
