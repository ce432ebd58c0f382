/* Keeps breakpoints. See breakpoint.h. */
#include "breakpoint.h"

#include "debuggee.h"
#include "error.h"
#include "memory.h"
#include "place.h"

#include <stdlib.h>
#include <string.h>

static struct breakpoint *breakpoints;
static int last_number;

struct breakpoint *breakpoint_next(const struct breakpoint *breakpoint)
{
    return breakpoint ? breakpoint->next : breakpoints;
}

struct breakpoint *breakpoint_find(int number)
{
    struct breakpoint *breakpoint = breakpoints;
    while (breakpoint && breakpoint->number != number) {
        breakpoint = breakpoint->next;
    }
    return breakpoint;
}

const char *breakpoint_text(const struct breakpoint *breakpoint)
{
    switch (breakpoint->kind) {
    case BREAK_LINE:
        return scratch_format("%s:%d", breakpoint->name, breakpoint->line);
    case BREAK_FUNCTION:
        return breakpoint->name;
    case BREAK_ADDRESS:
        return scratch_format("*0x%llx", (unsigned long long)breakpoint->address);
    }
    return "?";
}

/* ---- places ---- */

static bool place_add(struct breakpoint *breakpoint, uint64_t address)
{
    if (breakpoint->enabled && !debuggee_code_stop(address)) {
        return false;
    }
    breakpoint->addresses =
        memory_grow(breakpoint->addresses, breakpoint->count, sizeof(*breakpoint->addresses));
    breakpoint->addresses[breakpoint->count++] = address;
    return true;
}

static bool place_in(struct breakpoint *breakpoint, struct module *module)
{
    uint64_t *addresses = &breakpoint->address;
    size_t count = 0;
    int line = breakpoint->line;
    switch (breakpoint->kind) {
    case BREAK_LINE:
        count = place_of_line(&module->image, breakpoint->name, &line, &addresses);
        break;
    case BREAK_FUNCTION:
        count = place_of_function(&module->image, breakpoint->name, &addresses);
        break;
    case BREAK_ADDRESS:
        count = image_has_code(&module->image, breakpoint->address);
        break;
    }
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        good &= place_add(breakpoint, addresses[i]);
    }
    return good;
}

bool breakpoints_place(struct module *module)
{
    bool good = true;
    for (struct breakpoint *at = breakpoints; at; at = at->next) {
        good &= place_in(at, module);
    }
    return good;
}

void breakpoints_displace(const struct module *module)
{
    for (struct breakpoint *at = breakpoints; at; at = at->next) {
        size_t kept = 0;
        for (size_t i = 0; i < at->count; i++) {
            if (!image_has_code(&module->image, at->addresses[i])) {
                at->addresses[kept++] = at->addresses[i];
            }
        }
        at->count = kept;
        if (kept == 0) { /* memory_grow() starts again */
            free(at->addresses);
            at->addresses = NULL;
        }
    }
}

void breakpoints_forget(void)
{
    for (struct breakpoint *at = breakpoints; at; at = at->next) {
        free(at->addresses);
        at->addresses = NULL;
        at->count = 0;
    }
}

static bool changes_set(const struct breakpoint *breakpoint, bool stop)
{
    bool good = true;
    for (size_t i = 0; i < breakpoint->count; i++) {
        good &= stop ? debuggee_code_stop(breakpoint->addresses[i])
                     : debuggee_code_restore(breakpoint->addresses[i]);
    }
    return good;
}

bool breakpoints_remove(void)
{
    bool good = true;
    for (const struct breakpoint *at = breakpoints; at; at = at->next) {
        good &= !at->enabled || changes_set(at, false);
    }
    breakpoints_forget();
    return good;
}

/* ---- breakpoints ---- */

struct breakpoint *breakpoint_add(enum breakpoint_kind kind, const char *name, int line,
                                  uint64_t address, const char *condition, bool temporary)
{
    struct breakpoint **link = &breakpoints;
    struct breakpoint *breakpoint = memory_alloc(1, sizeof(*breakpoint));
    *breakpoint = (struct breakpoint){
        .number = last_number + 1,
        .kind = kind,
        .name = memory_text(name),
        .line = line,
        .address = address,
        .condition = condition ? memory_text(condition) : NULL,
        .enabled = true,
        .temporary = temporary,
    };
    while (*link) {
        link = &(*link)->next;
    }
    *link = breakpoint;
    bool good = true;
    for (struct module *module = debuggee.modules; module; module = module->next) {
        good &= place_in(breakpoint, module);
    }
    if (!good) {
        const char *why = scratch_format("%s", error_text());
        (void)breakpoint_delete(breakpoint);
        error_set("%s", why);
        return NULL;
    }
    last_number++;
    return breakpoint;
}

bool breakpoint_delete(struct breakpoint *breakpoint)
{
    const bool good = !breakpoint->enabled || changes_set(breakpoint, false);
    struct breakpoint **link = &breakpoints;
    while (*link != breakpoint) {
        link = &(*link)->next;
    }
    *link = breakpoint->next;
    free(breakpoint->addresses);
    free(breakpoint->name);
    free(breakpoint->condition);
    free(breakpoint);
    return good;
}

bool breakpoint_enable(struct breakpoint *breakpoint, bool enabled)
{
    if (breakpoint->enabled == enabled) {
        return true;
    }
    breakpoint->enabled = enabled;
    return changes_set(breakpoint, enabled);
}

struct breakpoint *breakpoint_at(uint64_t address, const struct breakpoint *after)
{
    for (struct breakpoint *at = after ? after->next : breakpoints; at; at = at->next) {
        for (size_t i = 0; at->enabled && i < at->count; i++) {
            if (at->addresses[i] == address) {
                return at;
            }
        }
    }
    return NULL;
}
