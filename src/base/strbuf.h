/* A growing string: build logs, error texts, printers. Always terminated.
 *
 * Names come from modules and files, and may hold anything: sequences that steer a terminal, lines
 * that look like ours. A text that people read is therefore made by a buffer with `shown` set, or
 * by geo_shown: what cannot be seen is escaped there (\n, \x1b), control characters, what is not
 * UTF-8, and what turns the direction of writing.
 *
 * Running out of memory or past the limit truncates the text and sets `truncated`; nothing crashes.
 */
#ifndef GEO_BASE_STRBUF_H
#define GEO_BASE_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct geo_strbuf {
    char *text;    /* owned; NULL while empty: use geo_strbuf_text */
    size_t length; /* without the terminator */
    size_t capacity;
    size_t limit_bytes; /* 0: no limit */
    bool truncated;
    bool shown; /* what printf adds is escaped, except a newline that ends the format */
};

void geo_strbuf_init(struct geo_strbuf *buffer, size_t limit_bytes);
void geo_strbuf_finish(struct geo_strbuf *buffer);
void geo_strbuf_add(struct geo_strbuf *buffer, const char *text, size_t length);
void geo_strbuf_printf(struct geo_strbuf *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void geo_strbuf_vprintf(struct geo_strbuf *buffer, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* Adds text with everything escaped that cannot be seen. */
void geo_strbuf_add_shown(struct geo_strbuf *buffer, const char *text, size_t length);

/* The same into `out`, terminated, cut at a whole character; returns its length. size: at least 1 */
size_t geo_shown(char *out, size_t size, const char *text, size_t length);

/* The text, never NULL; valid until the next change. */
const char *geo_strbuf_text(const struct geo_strbuf *buffer);

/* Hands the text (malloc, terminated, possibly NULL when memory ran out) to the caller; the buffer
 * is empty after. */
char *geo_strbuf_take(struct geo_strbuf *buffer, size_t *length);

#endif
