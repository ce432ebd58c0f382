/* The members of one JSON object, read strictly (base/json.h): the whole text has to be such an
 * object in UTF-8, whatever is looked for in it. For small files that may hold anything.
 *
 * Texts are decoded where they stand, so nothing is allocated. */
#ifndef GEO_LOADER_MEMBERS_H
#define GEO_LOADER_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

/* A member that is looked for: its value is a string. */
struct geo_member {
    const char *key;
    char *text; /* out: in the caller's bytes, terminated; NULL: there is no such member */
};

/* Finds members in bytes[0..size), which are changed. True when the text is right and no member
 * that is looked for is there twice or of another type; else `problem` says what is wrong and in
 * which line. Other members are ignored. */
bool geo_members_read(char *bytes, size_t size, struct geo_member *members, size_t count,
                      char *problem, size_t problem_size);

#endif
