/* A call of sysman that ends in files of the system, beside opening, reading and closing the same
 * files and nothing else. Which files they are is seen by this program's open(), which goes before
 * the C library's in the whole process: nothing has to be known of how the driver reads. */
#ifndef GEO_BENCH_READING_H
#define GEO_BENCH_READING_H

#include <stdbool.h>

/* False: it failed. */
typedef bool (*reading_fn)(void *data);

/* Prints "reading WHERE NAME FILES CALL_US BARE_US", each time the least of several rounds, which
 * take turns; nothing where the call fails or opens no file. Whether it printed. */
bool reading_measure(const char *where, const char *name, reading_fn call, void *data);

#endif
