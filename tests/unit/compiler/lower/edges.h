/* The rows of edges.def as numbers of a type, and whether a result is the one prescribed. */
#ifndef GEO_TESTS_LOWER_EDGES_H
#define GEO_TESTS_LOWER_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum edge_type { EDGE_HALF, EDGE_FLOAT, EDGE_DOUBLE };

struct edge_row {
    const char *function, *x, *y, *result, *more; /* more: NULL: nothing is stored */
};

extern const struct edge_row edge_rows[];
extern const size_t edge_row_count;

#define EDGE_LIST_LIMIT 64u

uint32_t edge_bytes(enum edge_type type);
/* Returns how many numbers a list has, and their bits: of a type, or 32-bit integers. Fails the
 * test for a word that it does not know. */
uint32_t edge_list(enum edge_type type, const char *list, bool integers,
                   uint64_t bits[EDGE_LIST_LIMIT]);
/* Returns whether bits are what a result's text prescribes for x and y. */
bool edge_fits(enum edge_type type, const char *result, bool integer, uint64_t x, uint64_t y,
               uint64_t bits);
/* A number of a type as a double, for messages and for the C library. */
double edge_value(enum edge_type type, uint64_t bits);

#endif
