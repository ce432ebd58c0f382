/* Macros for the rows of table.c and second.c: arguments, and the shapes of launches. */
#ifndef GEOID_BENCH_ARGS_H
#define GEOID_BENCH_ARGS_H

#include "table.h"

#define VALUE(bits)     {FILL_VALUE, 0, bits, CHECK_NONE}
#define FLOATS(n)       {FILL_UNIT, (size_t)(n) * 4, 0, CHECK_NONE}
#define WORDS(n)        {FILL_BITS, (size_t)(n) * 4, 0, CHECK_NONE}
#define BELOW(limit, n) {FILL_BELOW, (size_t)(n) * 4, limit, CHECK_NONE}
#define ROWS(n)         {FILL_ROWS, ((size_t)(n) + 1) * 4, 0, CHECK_NONE}
#define ROOTS(n)        {FILL_ROOTS, (size_t)(n) * 8, n, CHECK_NONE}
#define BOX             {FILL_BOX, 256 * 4, 0, CHECK_NONE}
#define OUT(n)          {FILL_ZERO, (size_t)(n) * 4, 0, CHECK_FLOATS}
#define OUT_WORDS(n)    {FILL_ZERO, (size_t)(n) * 4, 0, CHECK_BITS}
#define OUT_COUNTS(n)   {FILL_ZERO, (size_t)(n) * 4, 0, CHECK_COUNTS}
#define OUT_MOST(n)     {FILL_ZERO, (size_t)(n) * 4, 0, CHECK_MOST}
/* Results whose order may differ. */
#define UNCHECKED(n)   {FILL_ZERO, (size_t)(n) * 4, 0, CHECK_NONE}
#define INOUT(n)       {FILL_UNIT, (size_t)(n) * 4, 0, CHECK_FLOATS}
#define INOUT_WORDS(n) {FILL_BITS, (size_t)(n) * 4, 0, CHECK_BITS}
#define HALVES(n)      {FILL_HALVES, (size_t)(n) * 2, 0, CHECK_NONE}
#define SORTED(n)      {FILL_SORTED, (size_t)(n) * 4, 0, CHECK_NONE}
#define TEXT(n)        {FILL_TEXT, n, 0, CHECK_NONE}
#define TREE(n)        {FILL_TREE, (size_t)(n) * 32, 0, CHECK_NONE}
/* For n keys, of which a pass of a radix sort looks at 4 bits. */
#define PLACES(n, shift) {FILL_PLACES, (size_t)(n) / 16 * 4, shift, CHECK_NONE}

enum { K = 1 << 10, M = 1 << 20 };

/* A plane of n x n items in groups of x by y. */
#define PLANE(n, x, y) {(n) / (x), (n) / (y), 1}, {x, y, 1}
/* A line of n items in groups of x. */
#define LINE(n, x) {(n) / (x), 1, 1}, {x, 1, 1}

#endif
