/* Invariants as code. GEO_ASSERT(condition) ends the process with a message when the condition is
 * false. It is on in Debug builds, in sanitizer builds and wherever the CMake option
 * GEOID_ASSERTIONS is on. Elsewhere the compiler still checks the condition's types, but no code
 * remains: a condition must therefore have no side effects.
 *
 * An assertion states what Geoid's own code guarantees. Input of a program, a file or another
 * process can have any value: code refuses it with an error and never asserts it. */
#ifndef GEO_BASE_ASSERT_H
#define GEO_BASE_ASSERT_H

#ifdef GEOID_ASSERTIONS
#define GEO_ASSERT(condition)                                                                      \
    ((condition) ? (void)0 : geo_assert_failed(#condition, __FILE__, __LINE__, __func__))
#else
#define GEO_ASSERT(condition) ((void)(0 && (condition)))
#endif

/* Writes a message to standard error and aborts. Safe in signal handlers and after a fork. */
_Noreturn void geo_assert_failed(const char *condition, const char *file, int line,
                                 const char *function) __attribute__((cold));

/* Sets a function that geo_assert_failed calls with its message, without a newline, before the
 * process ends. For processes whose standard error nobody reads. The function must be safe in
 * signal handlers. NULL: none. */
void geo_assert_on_failure(void (*report)(const char *text));

#endif
