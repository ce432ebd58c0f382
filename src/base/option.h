/* Settings from the environment. One table (options.def) names every variable with its default and
 * its help text. `GEOID_DEBUG=help` prints the table when the first option is read, and
 * docs/user/options.md is generated from it.
 *
 * Reading an option that is not in the table fails an assertion. */
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

/* Returns the value, or the default of an unset option; NULL if there is neither. The text comes
 * from the environment and is not trusted. */
const char *geo_option_string(const char *name);

/* Returns a decimal or 0x number from min to max. Any other text is reported on standard error and
 * the default is returned. */
uint64_t geo_option_number(const char *name, uint64_t min, uint64_t max);

/* Returns true for 1, true, yes and on, and false for any other text. */
bool geo_option_flag(const char *name);

/* Returns the options of Geoid. */
const struct geo_option *geo_option_table(size_t *count);

/* Returns the variables that the specification, other loaders or the system define. */
const struct geo_option *geo_option_variable_table(size_t *count);

/* Returns the value of any other variable, such as ZE_AFFINITY_MASK, or NULL if it is unset.
 * Returns NULL in set-user-id programs. */
const char *geo_option_environment(const char *name);

#endif
