/* Writes texts to structures of the API. See value.h. */
#include "driver/sysman/value.h"

#include <string.h>

void geo_sysman_text(char *out, size_t size, const char *text, bool simulated)
{
    static const char mark[] = " (simulated)";
    GEO_ASSERT(size > sizeof(mark));
    const size_t room = simulated ? size - sizeof(mark) : size - 1;
    const size_t length = strnlen(text, room);
    GEO_ASSERT(length + (simulated ? sizeof(mark) : 1) <= size);
    memset(out, 0, size);
    memcpy(out, text, length);
    if (simulated) {
        memcpy(out + length, mark, sizeof(mark));
    }
}
