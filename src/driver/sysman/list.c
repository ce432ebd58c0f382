/* Reads arrays whose length may change. See list.h. */
#include "driver/sysman/list.h"

#include "driver/sysman/ask.h"

#include <stdlib.h>

/* A list that grows faster than it can be read is cut after TRIES attempts. */
enum { ROOM_FIRST = 16, TRIES = 8 };

ze_result_t geo_sysman_list_read(struct geo_sysman_list *list, size_t item_bytes,
                                 geo_sysman_list_fn ask, const void *owner, const char *name,
                                 const char *operation)
{
    uint32_t room = ROOM_FIRST, count = 0;
    void *items = NULL;
    GEO_ASSERT(item_bytes > 0 && ask);
    for (int i = 1;; i++) {
        struct geo_strbuf why;
        free(items);
        items = calloc(room, item_bytes);
        if (!items) {
            return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a list");
        }
        count = room;
        geo_strbuf_init(&why, GEO_SYSMAN_WHY_BYTES);
        ze_result_t result =
            geo_ask_answered(name, operation, ask(owner, &count, items, &why), &why);
        if (result != ZE_RESULT_SUCCESS) {
            free(items);
            return result;
        }
        if (count <= room || i == TRIES) {
            break;
        }
        room = count <= UINT32_MAX - ROOM_FIRST ? count + ROOM_FIRST : count;
    }
    list->items = items;
    list->count = count < room ? count : room;
    GEO_ASSERT(list->items && list->count <= room);
    return ZE_RESULT_SUCCESS;
}
