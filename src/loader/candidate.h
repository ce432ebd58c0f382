/* Candidates for drivers: what is to be opened, and who says so. A list of them is what discovery
 * makes and the loader works off; the strings are the list's. */
#ifndef GEO_LOADER_CANDIDATE_H
#define GEO_LOADER_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum geo_candidate_origin {
    GEO_FROM_ALT_DRIVERS, /* named by ZE_ENABLE_ALT_DRIVERS */
    GEO_FROM_NULL_DRIVER, /* asked for by ZE_ENABLE_NULL_DRIVER */
    GEO_FROM_KNOWN_NAME,  /* an established driver name */
    GEO_FROM_MANIFEST,    /* named by a manifest */
    GEO_FROM_HOME,        /* delivered with the loader */
    GEO_FROM_LAYER,       /* no driver: a layer, asked for by a variable or a call */
};

struct geo_candidate {
    char *name; /* a file name, or a path when it holds a slash */
    enum geo_candidate_origin from;
    /* Of manifests alone; a folder that cannot be read stands in the place of its manifests. */
    char *manifest;    /* its path, and what the candidate is known by; else it is the name */
    char *label;       /* what it calls the driver; may be NULL */
    uint32_t declared; /* the API version that it says, as ze_api_version_t; 0: none */
    char *refusal;     /* why it names nothing to open, `name` is the manifest then; or NULL */
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

/* What two candidates have in common when they are the same one. */
static inline const char *geo_candidate_key(const struct geo_candidate *candidate)
{
    return candidate->manifest ? candidate->manifest : candidate->name;
}

/* The origin in words, for explanations. */
const char *geo_candidate_origin_text(enum geo_candidate_origin from);

/* Adds a candidate of a name alone. False when memory ran out. */
bool geo_candidates_add(struct geo_candidates *candidates, enum geo_candidate_origin from,
                        const char *name, size_t length);

/* Adds a candidate, of whose strings it becomes the owner, also when memory runs out: false. */
bool geo_candidates_take(struct geo_candidates *candidates, const struct geo_candidate *candidate);

/* A text for a candidate; NULL when memory ran out. */
char *geo_candidate_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

void geo_candidate_finish(struct geo_candidate *candidate);
void geo_candidates_finish(struct geo_candidates *candidates);

#endif
