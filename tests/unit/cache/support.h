/* What unit tests of src/cache start with: each case has a folder of its own, which
 * GEOID_CACHE_DIR names, and may be as large as it likes. */
#ifndef TESTS_UNIT_CACHE_SUPPORT_H
#define TESTS_UNIT_CACHE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cache/cache.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char folder[256]; /* the case's; there is a folder "cache" in it */
extern char cache[300];

int folder_set_up(void **state);
int folder_tear_down(void **state);

/* The path of the file that a key's entry is in. */
const char *entry_path(const char *key);

/* A value that follows from a number: any mixture of two shows. */
struct geo_cache_bytes key_of(const char *text);
void number_store(unsigned number, size_t bytes);
/* 1: found, 0: not. A found value that is not what was stored ends the process (exit status 9). */
int number_find(unsigned number);

/* Files in the cache of that suffix, and how many bytes they have in blocks. */
struct census {
    unsigned entries, parts, others;
    uint64_t bytes;
};
struct census census_take(void);

#endif
