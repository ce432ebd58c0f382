/* Which files to try as drivers, in which order, and why. No file is opened here.
 *
 * ZE_ENABLE_ALT_DRIVERS (a comma list of names or paths) replaces the usual list. The usual list is
 * the established names of other vendors' drivers, found as the dynamic linker finds libraries, and
 * our own driver beside the loader. ZE_ENABLE_NULL_DRIVER adds the null driver in front. */
#ifndef GEO_LOADER_DISCOVERY_H
#define GEO_LOADER_DISCOVERY_H

#include <stdbool.h>
#include <stddef.h>

enum geo_candidate_origin {
    GEO_FROM_ALT_DRIVERS, /* named by ZE_ENABLE_ALT_DRIVERS */
    GEO_FROM_NULL_DRIVER, /* asked for by ZE_ENABLE_NULL_DRIVER */
    GEO_FROM_KNOWN_NAME,  /* an established driver name */
    GEO_FROM_HOME,        /* delivered with the loader */
    GEO_FROM_LAYER,       /* no driver: a layer, asked for by a variable or a call */
};

struct geo_candidate {
    char *name; /* a file name, or a path when it holds a slash */
    enum geo_candidate_origin from;
};

struct geo_candidates {
    struct geo_candidate *items;
    size_t count, capacity;
};

/* A part of a variable's text; not terminated. */
struct geo_discovery_part {
    const char *text;
    size_t length;
};

/* The part of `rest` up to the separator, without the blanks around it, and possibly empty; `rest`
 * is left with what follows the separator. */
struct geo_discovery_part geo_discovery_cut(struct geo_discovery_part *rest, char separator);

/* Lists the candidates for the environment as it is now. False when memory ran out. */
bool geo_discovery_list(struct geo_candidates *candidates);
void geo_discovery_finish(struct geo_candidates *candidates);

/* The folder that holds the loader itself: index 0 as it was loaded, 1 with links resolved. NULL
 * when unknown or when there is no such index. */
const char *geo_discovery_home(size_t index);

/* A switch such as ZE_ENABLE_NULL_DRIVER: set, and neither empty nor 0, false, no or off. */
bool geo_discovery_switch(const char *name);

/* The origin in words, for explanations. */
const char *geo_candidate_origin_text(enum geo_candidate_origin from);

#endif
