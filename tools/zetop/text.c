/* Texts of others. See text.h. */
#include "text.h"

#include <stdbool.h>
#include <string.h>

size_t text_sequence(const char *at, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = (unsigned char)*at;
    const size_t length = first < 0x80                    ? 1
                          : first >= 0xc2 && first < 0xe0 ? 2
                          : first >= 0xe0 && first < 0xf0 ? 3
                          : first >= 0xf0 && first < 0xf5 ? 4
                                                          : 0;
    uint32_t value = length == 1 ? first : first & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if (((unsigned char)at[i] & 0xc0) != 0x80) {
            return 0;
        }
        value = value << 6 | ((unsigned char)at[i] & 0x3fu);
    }
    const bool surrogate = value >= 0xd800 && value < 0xe000;
    const bool control = value < 0x20 || (value >= 0x7f && value < 0xa0);
    const bool direction = (value >= 0x200b && value <= 0x200f) ||
                           (value >= 0x2028 && value <= 0x202e) ||
                           (value >= 0x2066 && value <= 0x2069) || value == 0xfeff;
    if (length == 0 || value < least[length] || value > 0x10ffff || surrogate || control ||
        direction) {
        return 0;
    }
    *character = value;
    return length;
}

void text_copy(char *to, size_t size, const char *from)
{
    size_t used = 0;
    while (*from) {
        uint32_t character;
        const size_t length = text_sequence(from, &character);
        const size_t written = length ? length : 1;
        if (used + written >= size) {
            break;
        }
        if (length) {
            memcpy(to + used, from, length);
        } else {
            to[used] = '?';
        }
        used += written;
        from += written;
    }
    to[used] = '\0';
}
