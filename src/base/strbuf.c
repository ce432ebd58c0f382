/* Growing strings, for every library. See strbuf.h. */
#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void geo_strbuf_init(struct geo_strbuf *buffer, size_t limit_bytes)
{
    memset(buffer, 0, sizeof(*buffer));
    buffer->limit_bytes = limit_bytes;
}

void geo_strbuf_finish(struct geo_strbuf *buffer)
{
    free(buffer->text);
    memset(buffer, 0, sizeof(*buffer));
}

/* Makes room for `extra` more characters and the terminator; returns how many fit. */
static size_t strbuf_reserve(struct geo_strbuf *buffer, size_t extra)
{
    if (buffer->limit_bytes && extra > buffer->limit_bytes - buffer->length) {
        extra = buffer->limit_bytes - buffer->length;
        buffer->truncated = true;
    }
    size_t needed = buffer->length + extra + 1;
    if (needed <= buffer->capacity) {
        return extra;
    }
    size_t capacity = buffer->capacity ? buffer->capacity : 128;
    while (capacity < needed) {
        capacity *= 2;
    }
    char *text = realloc(buffer->text, capacity);
    if (!text) {
        buffer->truncated = true;
        return buffer->capacity ? buffer->capacity - buffer->length - 1 : 0;
    }
    buffer->text = text;
    buffer->capacity = capacity;
    return extra;
}

void geo_strbuf_add(struct geo_strbuf *buffer, const char *text, size_t length)
{
    size_t count = strbuf_reserve(buffer, length);
    if (buffer->text) {
        memcpy(buffer->text + buffer->length, text, count);
        buffer->length += count;
        buffer->text[buffer->length] = '\0';
    }
}

void geo_strbuf_vprintf(struct geo_strbuf *buffer, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length > 0) {
        size_t count = strbuf_reserve(buffer, (size_t)length);
        if (buffer->text) {
            vsnprintf(buffer->text + buffer->length, count + 1, format, again);
            buffer->length += count;
        }
    }
    va_end(again);
}

void geo_strbuf_printf(struct geo_strbuf *buffer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    geo_strbuf_vprintf(buffer, format, args);
    va_end(args);
}

const char *geo_strbuf_text(const struct geo_strbuf *buffer)
{
    return buffer->text ? buffer->text : "";
}

char *geo_strbuf_take(struct geo_strbuf *buffer, size_t *length)
{
    if (!buffer->text) {
        geo_strbuf_add(buffer, "", 0);
    }
    char *text = buffer->text;
    *length = text ? buffer->length : 0;
    geo_strbuf_init(buffer, buffer->limit_bytes);
    return text;
}
