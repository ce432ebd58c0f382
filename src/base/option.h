/* Settings from the environment. One table (option.c) names every GEOID_* variable with its default
 * and help text; `GEOID_DEBUG=help` prints it at the first use, the documentation is made from it.
 *
 * Reading an option that is not in the table is a bug of ours and asserts. */
#ifndef GEO_BASE_OPTION_H
#define GEO_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct geo_option {
    const char *name;
    const char *fallback; /* text form of the default; NULL: unset */
    const char *component;
    const char *help;
};

/* The value or its default; NULL when unset without a default. Environment text is untrusted. */
const char *geo_option_string(const char *name);

/* Decimal or 0x number within [min, max]; anything else is reported once in the log and the default
 * is taken. */
uint64_t geo_option_number(const char *name, uint64_t min, uint64_t max);

/* 1, true, yes, on: true; 0, false, no, off and the empty string: false. */
bool geo_option_flag(const char *name);

/* The whole table, for documentation and `GEOID_DEBUG=help`. */
const struct geo_option *geo_option_table(size_t *count);

/* A foreign switch such as ZE_AFFINITY_MASK: getenv, ignored in set-user-id programs; NULL when
 * unset. */
const char *geo_environment(const char *name);

#endif
