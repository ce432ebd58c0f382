/* Addresses of code that a line or function of the source means. */
#ifndef ZEDBG_PLACE_H
#define ZEDBG_PLACE_H

#include "image.h"

/* Returns the addresses at which code of a line begins: one for each copy of it. If the line has no
 * code, the next line of the file that has some counts, and `line` becomes that one. Returns their
 * number; `addresses` is scratch memory. */
size_t place_of_line(struct image *image, const char *file, int *line, uint64_t **addresses);
/* Returns the addresses at which work-items enter a function of this name: one for each copy, and
 * for each call that was inlined. Without debug information, it is the function's first
 * instruction, before the function knows its work-items. Returns their number; `addresses` is
 * scratch memory. */
size_t place_of_function(struct image *image, const char *name, uint64_t **addresses);

#endif
