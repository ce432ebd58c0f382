/* Lines of the source and addresses of code. */
#ifndef ZEDBG_LINE_H
#define ZEDBG_LINE_H

#include "image.h"

/* A row of the line table: code from `address` to the next row's. */
struct line_row {
    uint64_t address;
    const char *file; /* owned by libdw */
    int line;         /* 0: no line */
    bool statement;   /* a debugger may stop here */
    bool end;         /* the code ends here */
};

/* Reads the line table. An image without debug information has no lines. */
bool lines_read(struct image *image);
void lines_free(struct image *image);

/* Returns the row of an address, or NULL. */
const struct line_row *line_of(const struct image *image, uint64_t address);
/* Returns the row of an address, or the last one before it that has a line if its own has none:
 * instructions that the compiler adds belong to no line. */
const struct line_row *line_near(const struct image *image, uint64_t address);
/* Returns the first row within [begin, end) that has a line and at which a statement begins, or
 * NULL. */
const struct line_row *line_within(const struct image *image, uint64_t begin, uint64_t end);
/* Returns whether a path is the one that a name means: all of it, or its end. */
bool line_file_fits(const char *path, const char *name);
/* Returns the least line of a file from `line` on that has code, or 0. */
int line_with_code(const struct image *image, const char *file, int line);
/* Returns the path of a source file by its name or the end of its path, or NULL. */
const char *line_file(const struct image *image, const char *name);

#endif
