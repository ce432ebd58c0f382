/* Finds code of lines and functions. See place.h. */
#include "place.h"

#include "line.h"
#include "memory.h"
#include "scope.h"

#include <dwarf.h>
#include <string.h>

/* Blocks deeper than this are not searched: the information comes from another process. */
#define DEPTH_LIMIT 200

/* ---- lines ---- */

size_t place_of_line(struct image *image, const char *file, int *line, uint64_t **addresses)
{
    const int wanted = line_with_code(image, file, *line);
    size_t count = 0;
    Dwarf_Off *blocks = scratch_alloc(image->line_count * sizeof(*blocks));
    *addresses = scratch_alloc(image->line_count * sizeof(**addresses));
    for (size_t i = 0; wanted && i < image->line_count; i++) {
        const struct line_row *row = &image->lines[i];
        if (row->line != wanted || !row->statement || row->end ||
            !line_file_fits(row->file, file)) {
            continue;
        }
        const Dwarf_Off block = scope_block(image, row->address);
        size_t same = 0;
        while (same < count && blocks[same] != block) {
            same++;
        }
        if (same == count) { /* rows are ordered: this is the copy's first address */
            blocks[count] = block;
            (*addresses)[count++] = row->address;
        }
    }
    *line = wanted ? wanted : *line;
    return count;
}

/* ---- functions ---- */

struct entries {
    struct image *image;
    const char *name;
    uint64_t *addresses;
    size_t count;
};

static void entry_add(struct entries *entries, Dwarf_Die *block)
{
    Dwarf_Addr base, start, end, first = 0;
    ptrdiff_t offset = 0;
    bool found = false;
    while ((offset = dwarf_ranges(block, offset, &base, &start, &end)) > 0) {
        const struct line_row *row = line_within(entries->image, start, end);
        if (row && (!found || row->address < first)) {
            first = row->address;
            found = true;
        }
    }
    for (size_t i = 0; found && i < entries->count; i++) {
        found = entries->addresses[i] != first;
    }
    if (found) {
        uint64_t *grown = scratch_alloc((entries->count + 1) * sizeof(*grown));
        if (entries->count) {
            memcpy(grown, entries->addresses, entries->count * sizeof(*grown));
        }
        grown[entries->count++] = first;
        entries->addresses = grown;
    }
}

/* Visits the blocks of a function: those with a chunk are copies of its code for work-items.
 * Returns whether it has one. */
static bool copies_add(struct entries *entries, Dwarf_Die *block, int depth)
{
    Dwarf_Die child;
    bool found = false;
    if (depth > DEPTH_LIMIT || dwarf_child(block, &child) != 0) {
        return false;
    }
    if (scope_child(block, SCOPE_CHUNK, &child)) {
        entry_add(entries, block);
        return true;
    }
    (void)dwarf_child(block, &child);
    do {
        found |=
            dwarf_tag(&child) == DW_TAG_lexical_block && copies_add(entries, &child, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
    return found;
}

/* Visits inlined calls of the function below a block. */
static void calls_add(struct entries *entries, Dwarf_Die *block, int depth)
{
    Dwarf_Die child;
    if (depth > DEPTH_LIMIT || dwarf_child(block, &child) != 0) {
        return;
    }
    do {
        const int tag = dwarf_tag(&child);
        if (tag == DW_TAG_inlined_subroutine && strcmp(scope_name(&child), entries->name) == 0) {
            entry_add(entries, &child);
        }
        if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) {
            calls_add(entries, &child, depth + 1);
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

static bool entries_visit(void *context, Dwarf_Die *function)
{
    struct entries *entries = context;
    if (strcmp(scope_name(function), entries->name) == 0 && !copies_add(entries, function, 0)) {
        entry_add(entries, function);
    }
    calls_add(entries, function, 0);
    return true;
}

size_t place_of_function(struct image *image, const char *name, uint64_t **addresses)
{
    struct entries entries = {.image = image, .name = name};
    scope_functions(image, entries_visit, &entries);
    if (entries.count == 0) {
        entries.addresses = scratch_alloc(sizeof(*entries.addresses));
        entries.count = image_function(image, name, entries.addresses);
    }
    *addresses = entries.addresses;
    return entries.count;
}
