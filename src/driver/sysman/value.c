/* Texts of structures. See value.h. */
#include "driver/sysman/value.h"

#include <stdio.h>
#include <string.h>

void geo_sysman_text(char *out, size_t size, const char *text, bool simulated)
{
    static const char mark[] = " (simulated)";
    const size_t room = simulated ? size - sizeof(mark) : size - 1;
    const size_t length = strnlen(text, room);
    char whole[ZES_MAX_FABRIC_PORT_MODEL_SIZE];
    snprintf(whole, sizeof(whole), "%.*s%s", (int)length, text, simulated ? mark : "");
    memset(out, 0, size);
    memcpy(out, whole, strnlen(whole, size - 1));
}
