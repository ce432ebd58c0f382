/* Candidates for drivers: the files to open and where their names come from. Discovery builds a
 * list of candidates, and the loader tries to open each of them. The list owns the strings. */
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
    GEO_FROM_LAYER,       /* not a driver: a layer, requested by a variable or a call */
};

struct geo_candidate {
    char *name; /* a file name, or a path if it contains a slash */
    enum geo_candidate_origin from;
    /* The following are set for manifests only. An unreadable folder is listed as a manifest. */
    char *manifest;    /* path of the manifest, which identifies the candidate; NULL: `name` does */
    char *label;       /* the manifest's name for the driver; may be NULL */
    uint32_t declared; /* the API version in the manifest, as ze_api_version_t; 0: none */
    /* Why the manifest names no library (`name` is then the manifest); or NULL. */
    char *refusal;
};

struct geo_candidates {
    struct geo_candidate *items;
    size_t count, capacity;
};

/* A part of a variable's value, not terminated. */
struct geo_discovery_part {
    const char *text;
    size_t length;
};

/* Cuts the text up to the separator off `rest` and returns it without surrounding blanks. The
 * result may be empty. `rest` keeps the text after the separator. */
struct geo_discovery_part geo_candidate_cut(struct geo_discovery_part *rest, char separator);

/* Returns the string that identifies a candidate: two candidates with equal keys are the same. */
static inline const char *geo_candidate_key(const struct geo_candidate *candidate)
{
    return candidate->manifest ? candidate->manifest : candidate->name;
}

/* Returns whether the fields of a candidate agree: it has a name, and only a manifest's has what
 * manifests tell. */
bool geo_candidate_is_valid(const struct geo_candidate *candidate);

/* Returns a description of the origin, for explanations. */
const char *geo_candidate_origin_text(enum geo_candidate_origin from);

/* Adds a candidate that has only a name. Returns false when memory ran out. */
bool geo_candidates_add(struct geo_candidates *candidates, enum geo_candidate_origin from,
                        const char *name, size_t length);

/* Adds a candidate and takes ownership of its strings, even on failure. Returns false when memory
 * ran out. */
bool geo_candidates_take(struct geo_candidates *candidates, const struct geo_candidate *candidate);

/* Returns a formatted string for a candidate, or NULL when memory ran out. */
char *geo_candidate_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

void geo_candidate_finish(struct geo_candidate *candidate);
void geo_candidates_finish(struct geo_candidates *candidates);

#endif
