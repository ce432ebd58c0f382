/* Reads string members of one JSON object strictly (base/json.h): the whole text must be such an
 * object in UTF-8. Meant for small untrusted files.
 *
 * Strings are decoded in place, so nothing is allocated. */
#ifndef GEO_LOADER_MEMBERS_H
#define GEO_LOADER_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

/* A requested member, whose value must be a string. */
struct geo_member {
    const char *key;
    /* Out: points into the caller's bytes, terminated; NULL: the object has no such member. */
    char *text;
};

/* Reads the requested members from bytes[0..size), which are modified. Other members are ignored.
 * Returns false when the text is invalid, or a requested member is duplicated or not a string.
 * `problem` then describes the error and its line. */
bool geo_members_read(char *bytes, size_t size, struct geo_member *members, size_t count,
                      char *problem, size_t problem_size);

#endif
