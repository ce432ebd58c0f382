/* Reads line tables. See line.h. */
#include "line.h"

#include "error.h"
#include "memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool row_add(struct image *image, Dwarf_Line *line)
{
    Dwarf_Addr address;
    struct line_row row = {0};
    if (dwarf_lineaddr(line, &address) != 0 || dwarf_lineno(line, &row.line) != 0 ||
        dwarf_linebeginstatement(line, &row.statement) != 0 ||
        dwarf_lineendsequence(line, &row.end) != 0) {
        return error_set("the line table cannot be read: %s", dwarf_errmsg(-1));
    }
    row.address = address;
    row.file = dwarf_linesrc(line, NULL, NULL);
    row.file = row.file ? row.file : "unknown";
    image->lines = memory_grow(image->lines, image->line_count, sizeof(row));
    image->lines[image->line_count++] = row;
    return true;
}

static int row_compare(const void *a, const void *b)
{
    const struct line_row *first = a, *second = b;
    if (first->address != second->address) {
        return first->address < second->address ? -1 : 1;
    }
    return (int)second->end - (int)first->end; /* the end of the code before comes first */
}

/* Orders rows by address. qsort alone may exchange rows of one address. */
static void rows_sort(struct image *image)
{
    for (size_t i = 1; i < image->line_count; i++) {
        if (row_compare(&image->lines[i - 1], &image->lines[i]) > 0) {
            qsort(image->lines, image->line_count, sizeof(*image->lines), row_compare);
            return;
        }
    }
}

bool lines_read(struct image *image)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (image->dwarf &&
           dwarf_get_units(image->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        Dwarf_Lines *lines;
        size_t count;
        if (dwarf_getsrclines(&die, &lines, &count) != 0) {
            continue; /* a unit without code */
        }
        for (size_t i = 0; i < count; i++) {
            if (!row_add(image, dwarf_onesrcline(lines, i))) {
                return false;
            }
        }
    }
    rows_sort(image);
    return true;
}

void lines_free(struct image *image)
{
    free(image->lines);
    image->lines = NULL;
    image->line_count = 0;
}

/* Returns the index of the first row whose address is larger. */
static size_t index_behind(const struct image *image, uint64_t address)
{
    size_t low = 0, high = image->line_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (image->lines[middle].address <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const struct line_row *line_of(const struct image *image, uint64_t address)
{
    const size_t behind = index_behind(image, address);
    return behind > 0 && !image->lines[behind - 1].end ? &image->lines[behind - 1] : NULL;
}

const struct line_row *line_near(const struct image *image, uint64_t address)
{
    const struct line_row *row = line_of(image, address), *near = row;
    while (near && !near->line && near > image->lines && !near[-1].end) {
        near--;
    }
    return near && near->line ? near : row;
}

const struct line_row *line_within(const struct image *image, uint64_t begin, uint64_t end)
{
    for (size_t i = begin ? index_behind(image, begin - 1) : 0;
         i < image->line_count && image->lines[i].address < end; i++) {
        if (image->lines[i].line && image->lines[i].statement && !image->lines[i].end) {
            return &image->lines[i];
        }
    }
    return NULL;
}

bool line_file_fits(const char *path, const char *name)
{
    const size_t path_length = strlen(path), length = strlen(name);
    return path_length >= length && strcmp(path + path_length - length, name) == 0 &&
           (path_length == length || path[path_length - length - 1] == '/');
}

const char *line_file(const struct image *image, const char *name)
{
    for (size_t i = 0; i < image->line_count; i++) {
        if (line_file_fits(image->lines[i].file, name)) {
            return image->lines[i].file;
        }
    }
    return NULL;
}

int line_with_code(const struct image *image, const char *file, int line)
{
    int least = INT_MAX;
    for (size_t i = 0; i < image->line_count; i++) {
        const struct line_row *row = &image->lines[i];
        if (row->statement && !row->end && row->line >= line && row->line < least &&
            line_file_fits(row->file, file)) {
            least = row->line;
        }
    }
    return least < INT_MAX ? least : 0;
}
