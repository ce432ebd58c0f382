/* What sub-group functions give, computed lane by lane in C for values of any scalar type: the
 * reference of the tests of sub-groups. */
#ifndef GEO_TESTS_LOWER_LANES_H
#define GEO_TESTS_LOWER_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lanes_kind {
    LANES_SIGNED,
    LANES_UNSIGNED,
    LANES_FLOAT,
};

struct lanes_type {
    const char *name; /* OpenCL C's */
    uint32_t bytes;
    enum lanes_kind kind;
};

/* By OpenCL C's name. */
const struct lanes_type *lanes_type_find(const char *name);

/* A value of any type: integers sign- or zero-extended. */
union lanes_value {
    uint64_t bits;
    int64_t integer;
    double real;
};

union lanes_value lanes_load(const struct lanes_type *type, const void *array, size_t index);
void lanes_store(const struct lanes_type *type, void *array, size_t index, union lanes_value value);

enum lanes_join {
    LANES_ADD,
    LANES_MUL,
    LANES_MIN,
    LANES_MAX,
    LANES_AND,
    LANES_OR,
    LANES_XOR,
};

enum lanes_operation {
    LANES_REDUCE,
    LANES_INCLUSIVE,
    LANES_EXCLUSIVE,
    LANES_CLUSTERED,
};

/* What changes nothing when it is joined with another value; two values joined. */
union lanes_value lanes_identity(const struct lanes_type *type, enum lanes_join join);
/* What an exclusive scan gives the first item: the specification's identity, of sums 0 (not -0). */
union lanes_value lanes_before_first(const struct lanes_type *type, enum lanes_join join);
union lanes_value lanes_join(const struct lanes_type *type, union lanes_value a,
                             union lanes_value b, enum lanes_join join);
/* Joins the values of the lanes in `on` (a bit each) as lane `lane` sees it; `cluster`: of a
 * clustered reduction. */
union lanes_value lanes_reduce(const struct lanes_type *type, const union lanes_value *values,
                               uint32_t on, uint32_t lane, enum lanes_join join,
                               enum lanes_operation operation, uint32_t cluster);

#endif
