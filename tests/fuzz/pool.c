/* Seeds from files, in memory. See fuzz.h. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static struct pool_item {
    uint8_t *bytes;
    size_t size;
} *items;
static size_t count, capacity;

bool fuzz_pool_add(const uint8_t *bytes, size_t size)
{
    if (count == capacity) {
        size_t more = capacity ? 2 * capacity : 256;
        struct pool_item *grown = realloc(items, more * sizeof(*items));
        if (!grown) {
            return false;
        }
        items = grown;
        capacity = more;
    }
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) {
        return false;
    }
    memcpy(copy, bytes, size);
    items[count++] = (struct pool_item){copy, size};
    return true;
}

size_t fuzz_pool_pick(struct fuzz_random *random, uint8_t *bytes, size_t max_bytes)
{
    for (int tries = 0; tries < 16 && count != 0; tries++) {
        const struct pool_item *item = &items[fuzz_below(random, (uint32_t)count)];
        if (item->size != 0 && item->size <= max_bytes) {
            memcpy(bytes, item->bytes, item->size);
            return item->size;
        }
    }
    return 0;
}
