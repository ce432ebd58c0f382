/* Growing strings. See strbuf.h. */
#include "base/strbuf.h"

#include <stdint.h>
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

/* Makes space for `extra` more characters and the terminator. Returns how many characters fit. */
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

/* ---- escaping ---- */

#define SHOWN_MAX 4 /* bytes of a character, or of an escape sequence */

/* Decodes the UTF-8 sequence at the start of `text` and stores the code point in *point. Returns
 * its length in bytes, or 0 when the sequence is invalid. */
static size_t sequence_read(const unsigned char *text, size_t length, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t bytes = text[0] < 0x80   ? 1
                   : text[0] < 0xc2 ? 0
                   : text[0] < 0xe0 ? 2
                   : text[0] < 0xf0 ? 3
                   : text[0] < 0xf5 ? 4
                                    : 0;
    if (bytes == 0 || bytes > length) {
        return 0;
    }
    *point = bytes == 1 ? text[0] : text[0] & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
        *point = *point << 6 | (text[i] & 0x3f);
    }
    bool valid = *point >= least[bytes] && *point <= 0x10ffff && *point >> 11 != 0xd800 >> 11;
    return valid ? bytes : 0;
}

static bool is_visible(uint32_t point)
{
    return (point >= 0x20 && point < 0x7f) ||
           (point >= 0xa0 && point != 0x061c && !(point >= 0x200b && point <= 0x200f) &&
            !(point >= 0x2028 && point <= 0x202e) && !(point >= 0x2060 && point <= 0x206f) &&
            point != 0xfeff && !(point >= 0xe0000 && point <= 0xe0fff));
}

/* Writes the first character of `text`, escaped if needed. Returns the bytes written and stores the
 * bytes consumed in *taken. */
static size_t character_show(const char *text, size_t length, char out[SHOWN_MAX], size_t *taken)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t point;
    size_t bytes = sequence_read((const unsigned char *)text, length, &point);
    if (bytes && is_visible(point)) {
        memcpy(out, text, bytes);
        *taken = bytes;
        return bytes;
    }
    unsigned char byte = (unsigned char)text[0];
    char letter = byte == '\n' ? 'n' : byte == '\t' ? 't' : byte == '\r' ? 'r' : 0;
    *taken = 1;
    out[0] = '\\';
    if (letter) {
        out[1] = letter;
        return 2;
    }
    out[1] = 'x';
    out[2] = digits[byte >> 4];
    out[3] = digits[byte & 15];
    return 4;
}

void geo_strbuf_add_shown(struct geo_strbuf *buffer, const char *text, size_t length)
{
    while (length) {
        char shown[SHOWN_MAX];
        size_t taken, bytes = character_show(text, length, shown, &taken);
        geo_strbuf_add(buffer, shown, bytes);
        text += taken;
        length -= taken;
    }
}

size_t geo_strbuf_shown(char *out, size_t size, const char *text, size_t length)
{
    size_t used = 0;
    while (length) {
        char shown[SHOWN_MAX];
        size_t taken, bytes = character_show(text, length, shown, &taken);
        if (bytes >= size - used) {
            break;
        }
        memcpy(out + used, shown, bytes);
        used += bytes;
        text += taken;
        length -= taken;
    }
    out[used] = '\0';
    return used;
}

/* ---- formatted text ---- */

static void shown_vprintf(struct geo_strbuf *buffer, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (!text) {
        buffer->truncated = true;
        return;
    }
    vsnprintf(text, (size_t)length + 1, format, args);
    size_t count = strlen(format);
    bool line = count && format[count - 1] == '\n';
    geo_strbuf_add_shown(buffer, text, (size_t)length - line);
    geo_strbuf_add(buffer, "\n", line);
    free(text);
}

void geo_strbuf_vprintf(struct geo_strbuf *buffer, const char *format, va_list args)
{
    if (buffer->shown) {
        shown_vprintf(buffer, format, args);
        return;
    }
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
    bool shown = buffer->shown;
    geo_strbuf_init(buffer, buffer->limit_bytes);
    buffer->shown = shown;
    return text;
}
