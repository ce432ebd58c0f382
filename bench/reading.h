/* Compares a call of sysman with just opening, reading and closing the same files. The program's
 * open() replaces the C library's in the whole process and records the files that a call opens. So
 * the benchmark does not depend on how the driver reads. */
#ifndef GEO_BENCH_READING_H
#define GEO_BENCH_READING_H

#include <stdbool.h>

/* Returns false if the call has failed. */
typedef bool (*reading_fn)(void *data);

/* Prints "reading WHERE NAME FILES CALL_US BARE_US". Each time is the least of several rounds, in
 * which both take turns. Prints nothing and returns false if the call fails or opens no file. */
bool reading_measure(const char *where, const char *name, reading_fn call, void *data);

#endif
