/* Finds functions, blocks and variables. See scope.h. */
#include "scope.h"

#include "memory.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

const char *scope_name(Dwarf_Die *die)
{
    const char *name = die->addr ? dwarf_diename(die) : NULL;
    return name ? name : "";
}

/* ---- functions at an address ---- */

/* Returns the blocks around an address, innermost first, up to the compile unit. The caller frees
 * them. */
static int blocks_at(struct image *image, uint64_t address, Dwarf_Die **blocks)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (image->dwarf &&
           dwarf_get_units(image->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        Dwarf_Die *scopes = NULL;
        const int found = dwarf_getscopes(&die, address, &scopes);
        const int count = found > 1 ? dwarf_getscopes_die(&scopes[0], blocks) : 0;
        free(scopes);
        if (count > 1) {
            return count;
        }
        if (count == 1) {
            free(*blocks);
        }
    }
    return 0;
}

static bool is_function(Dwarf_Die *die)
{
    return dwarf_tag(die) == DW_TAG_subprogram || dwarf_tag(die) == DW_TAG_inlined_subroutine;
}

static void call_find(struct scope *scope, Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t count;
    if (dwarf_formudata(dwarf_attr(function, DW_AT_call_line, &attribute), &number) == 0) {
        scope->call_line = (int)number;
    }
    if (dwarf_formudata(dwarf_attr(function, DW_AT_call_file, &attribute), &number) == 0 &&
        dwarf_diecu(function, &unit, NULL, NULL) && dwarf_getsrcfiles(&unit, &files, &count) == 0 &&
        number < count) {
        scope->call_file = dwarf_filesrc(files, number, NULL, NULL);
    }
}

/* Finds the block of a function that describes the chunk and has code before and behind an address.
 * Instructions without a line, in gaps of the block, belong to it, too. */
static bool gap_find(Dwarf_Die *function, uint64_t address, Dwarf_Die *block)
{
    Dwarf_Die variable;
    if (dwarf_child(function, block) != 0) {
        return false;
    }
    do {
        Dwarf_Addr base, start, end, first = UINT64_MAX, last = 0;
        ptrdiff_t offset = 0;
        if (dwarf_tag(block) != DW_TAG_lexical_block ||
            !scope_child(block, SCOPE_CHUNK, &variable)) {
            continue;
        }
        while ((offset = dwarf_ranges(block, offset, &base, &start, &end)) > 0) {
            first = start < first ? start : first;
            last = end > last ? end : last;
        }
        if (address >= first && address < last) {
            return true;
        }
    } while (dwarf_siblingof(block, block) == 0);
    return false;
}

size_t scopes_at(struct image *image, uint64_t address, struct scope **scopes)
{
    Dwarf_Die *blocks = NULL;
    const int found = blocks_at(image, address, &blocks);
    size_t made = 0;
    *scopes = NULL;
    if (found == 0) {
        return 0;
    }
    Dwarf_Die *kept = scratch_alloc((size_t)(found + 1) * sizeof(*kept));
    const int gap =
        dwarf_tag(&blocks[0]) == DW_TAG_subprogram && gap_find(&blocks[0], address, &kept[0]);
    const int count = found + gap;
    memcpy(kept + gap, blocks, (size_t)found * sizeof(*kept));
    free(blocks);
    *scopes = scratch_alloc((size_t)count * sizeof(**scopes));
    for (int i = 0, first = 0; i < count; i++) {
        if (!is_function(&kept[i])) {
            continue;
        }
        struct scope *scope = &(*scopes)[made++];
        *scope = (struct scope){.image = image,
                                .name = scope_name(&kept[i]),
                                .dies = kept + first,
                                .count = i + 1 - first,
                                .is_inlined = dwarf_tag(&kept[i]) == DW_TAG_inlined_subroutine};
        if (scope->is_inlined) {
            call_find(scope, &kept[i]);
        }
        first = i + 1;
        if (!scope->is_inlined) {
            break;
        }
    }
    return made;
}

Dwarf_Off scope_block(struct image *image, uint64_t address)
{
    Dwarf_Die *blocks = NULL;
    const int count = blocks_at(image, address, &blocks);
    const Dwarf_Off offset = count ? dwarf_dieoffset(&blocks[0]) : 0;
    if (count) {
        free(blocks);
    }
    return offset;
}

/* ---- variables ---- */

static bool is_variable(Dwarf_Die *die)
{
    return dwarf_tag(die) == DW_TAG_variable || dwarf_tag(die) == DW_TAG_formal_parameter;
}

bool scope_child(Dwarf_Die *block, const char *name, Dwarf_Die *variable)
{
    if (dwarf_child(block, variable) != 0) {
        return false;
    }
    do {
        if (is_variable(variable) && strcmp(scope_name(variable), name) == 0) {
            return true;
        }
    } while (dwarf_siblingof(variable, variable) == 0);
    return false;
}

bool scope_global(struct image *image, const char *name, Dwarf_Die *variable)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (image->dwarf &&
           dwarf_get_units(image->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        if (scope_child(&die, name, variable)) {
            return true;
        }
    }
    return false;
}

bool scope_variable(const struct scope *scope, const char *name, Dwarf_Die *variable)
{
    for (int i = 0; i < scope->count; i++) {
        if (scope_child(&scope->dies[i], name, variable)) {
            return true;
        }
    }
    return scope_global(scope->image, name, variable);
}

static void children_visit(Dwarf_Die *parent, bool arguments, bool others,
                           void (*visit)(void *context, Dwarf_Die *variable), void *context)
{
    Dwarf_Die child;
    if (dwarf_child(parent, &child) != 0) {
        return;
    }
    do {
        const bool argument = dwarf_tag(&child) == DW_TAG_formal_parameter;
        if (is_variable(&child) && (argument ? arguments : others) &&
            strcmp(scope_name(&child), SCOPE_CHUNK) != 0) {
            visit(context, &child);
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

void scope_variables(const struct scope *scope, void (*visit)(void *context, Dwarf_Die *variable),
                     void *context)
{
    for (int i = 0; i < scope->count; i++) {
        children_visit(&scope->dies[i], true, true, visit, context);
    }
}

void scope_arguments(const struct scope *scope, void (*visit)(void *context, Dwarf_Die *argument),
                     void *context)
{
    children_visit(&scope->dies[scope->count - 1], true, false, visit, context);
}

/* ---- functions ---- */

void scope_functions(struct image *image, bool (*visit)(void *context, Dwarf_Die *function),
                     void *context)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, child;
    bool more = true;
    while (more && image->dwarf &&
           dwarf_get_units(image->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        if (dwarf_child(&die, &child) != 0) {
            continue;
        }
        do {
            Dwarf_Addr base, start, end;
            if (dwarf_tag(&child) == DW_TAG_subprogram &&
                dwarf_ranges(&child, 0, &base, &start, &end) > 0) {
                more = visit(context, &child);
            }
        } while (more && dwarf_siblingof(&child, &child) == 0);
    }
}
