/* Encodes and decodes cache entries. See entry.h. */
#include "cache/entry.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Offsets of the parts of an entry, in bytes. */
struct layout {
    uint64_t key, value, text, end;
};

uint64_t geo_cache_entry_name(struct geo_cache_bytes key)
{
    return XXH3_64bits(key.at, key.count);
}

static uint64_t checksum_of(const void *bytes, size_t count)
{
    const size_t from = offsetof(struct geo_cache_header, key_count);
    return XXH3_64bits((const uint8_t *)bytes + from, count - from);
}

static bool part_place(uint64_t *end, uint64_t count)
{
    uint64_t padded;
    return !__builtin_add_overflow(count, GEO_CACHE_ALIGN - 1, &padded) &&
           !__builtin_add_overflow(*end, padded & ~(uint64_t)(GEO_CACHE_ALIGN - 1), end);
}

static bool layout_of(const struct geo_cache_header *header, struct layout *layout)
{
    layout->end = layout->key = sizeof(*header);
    bool good = part_place(&layout->end, header->key_count);
    layout->value = layout->end;
    good = good && part_place(&layout->end, header->value_count);
    layout->text = layout->end;
    return good && part_place(&layout->end, header->text_count);
}

void *geo_cache_entry_make(struct geo_cache_bytes key, const struct geo_cache_value *value,
                           size_t *count)
{
    struct layout layout;
    struct geo_cache_header header = {
        .magic = GEO_CACHE_MAGIC,
        .key_count = key.count,
        .value_count = value->count,
        .text_count = value->text ? strlen(value->text) + 1 : 0,
    };
    if (!layout_of(&header, &layout)) {
        return NULL;
    }
    uint8_t *bytes = calloc(1, layout.end);
    if (!bytes) {
        return NULL;
    }
    memcpy(bytes, &header, sizeof(header));
    memcpy(bytes + layout.key, key.at, key.count);
    memcpy(bytes + layout.value, value->bytes, value->count);
    if (value->text) {
        memcpy(bytes + layout.text, value->text, header.text_count);
    }
    header.checksum = checksum_of(bytes, layout.end);
    memcpy(bytes, &header, sizeof(header));
    *count = layout.end;
    return bytes;
}

bool geo_cache_entry_read(const void *bytes, size_t count, struct geo_cache_bytes key,
                          struct geo_cache_value *value)
{
    const uint8_t *at = bytes;
    struct geo_cache_header header;
    struct layout layout;
    if (count < sizeof(header)) {
        return false;
    }
    memcpy(&header, bytes, sizeof(header));
    if (header.magic != GEO_CACHE_MAGIC || !layout_of(&header, &layout) || layout.end != count ||
        header.checksum != checksum_of(bytes, count) || header.key_count != key.count ||
        memcmp(at + layout.key, key.at, key.count) != 0 ||
        (header.text_count && at[layout.text + header.text_count - 1] != '\0')) {
        return false;
    }
    *value = (struct geo_cache_value){
        .bytes = at + layout.value,
        .count = header.value_count,
        .text = header.text_count ? (const char *)at + layout.text : NULL,
    };
    return true;
}
