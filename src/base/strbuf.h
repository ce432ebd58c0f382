/* A growing string for build logs, error texts and printers. It is always terminated.
 *
 * Names come from modules and files and may contain anything, such as terminal control sequences or
 * lines that imitate ours. Texts for people are therefore built by a buffer with `shown` set, or by
 * geo_strbuf_shown. These escape control characters (\n, \x1b), invalid UTF-8 and characters that
 * change the direction of writing.
 *
 * When memory runs out or the limit is reached, the text is cut and `truncated` is set. */
#ifndef GEO_BASE_STRBUF_H
#define GEO_BASE_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct geo_strbuf {
    char *text;    /* owned; NULL while empty: read it with geo_strbuf_text */
    size_t length; /* without the terminator */
    size_t capacity;
    size_t limit_bytes; /* 0: no limit */
    bool truncated;
    bool shown; /* printf escapes its output, except a newline at the end of the format */
};

void geo_strbuf_init(struct geo_strbuf *buffer, size_t limit_bytes);
void geo_strbuf_finish(struct geo_strbuf *buffer);
void geo_strbuf_add(struct geo_strbuf *buffer, const char *text, size_t length);
void geo_strbuf_printf(struct geo_strbuf *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void geo_strbuf_vprintf(struct geo_strbuf *buffer, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* Appends text and escapes the characters that are not printable. */
void geo_strbuf_add_shown(struct geo_strbuf *buffer, const char *text, size_t length);

/* Writes the escaped text to `out`, terminated and cut at a whole character. Returns its length.
 * `size` is at least 1. */
size_t geo_strbuf_shown(char *out, size_t size, const char *text, size_t length);

/* Returns the text, which is never NULL and stays valid until the next change. */
const char *geo_strbuf_text(const struct geo_strbuf *buffer);

/* Passes ownership of the text (terminated, freed with free()) to the caller and empties the
 * buffer. Returns NULL when memory ran out. */
char *geo_strbuf_take(struct geo_strbuf *buffer, size_t *length);

#endif
