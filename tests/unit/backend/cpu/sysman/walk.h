/* How the walk over a machine's components (walk.c) tells values, and what it asks of each class
 * (walk_classes.c). */
#ifndef GEO_TESTS_SYSMAN_WALK_H
#define GEO_TESTS_SYSMAN_WALK_H

#include "backend/sysman.h"

struct walk;

/* "power[0].KEY VALUE" */
void walk_tell(struct walk *walk, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether an operation worked; tells why, if not. */
bool walk_works(struct walk *walk, const char *key, ze_result_t result);
struct geo_strbuf *walk_why(struct walk *walk);

struct walk_class {
    const char *name;
    void (*call)(struct walk *walk, const void *component); /* NULL: it is not walked */
};
const struct walk_class *walk_class(enum geo_sysman_class kind);

#endif
