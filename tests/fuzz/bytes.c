/* Changes of bytes that nothing is known of. See fuzz.h. */
#include "fuzz.h"

#include <string.h>

uint32_t fuzz_edge(struct fuzz_random *random)
{
    static const uint32_t edges[] = {
        0,     1,       2,       3,       4,       7,          8,          15,         16,
        17,    31,      32,      33,      63,      64,         65,         127,        128,
        255,   256,     1023,    1024,    4095,    4096,       32767,      32768,      65535,
        65536, 1 << 20, 1 << 24, 1 << 28, 1 << 30, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF};
    return edges[fuzz_below(random, sizeof(edges) / sizeof(edges[0]))];
}

static size_t flip(struct fuzz_random *random, uint8_t *bytes, size_t size, size_t max_bytes)
{
    (void)max_bytes;
    bytes[fuzz_below(random, (uint32_t)size)] ^= (uint8_t)(1u << fuzz_below(random, 8));
    return size;
}

static size_t any_byte(struct fuzz_random *random, uint8_t *bytes, size_t size, size_t max_bytes)
{
    (void)max_bytes;
    bytes[fuzz_below(random, (uint32_t)size)] = (uint8_t)fuzz_next(random);
    return size;
}

/* A number of one, two, four or eight bytes becomes an edge, or is near what it was. */
static size_t number(struct fuzz_random *random, uint8_t *bytes, size_t size, size_t max_bytes)
{
    size_t width = (size_t)1 << fuzz_below(random, 4);
    uint64_t value = 0;
    (void)max_bytes;
    if (width > size) {
        return size;
    }
    uint8_t *place = bytes + fuzz_below(random, (uint32_t)(size - width + 1));
    memcpy(&value, place, width);
    value = fuzz_one_in(random, 2) ? fuzz_edge(random) : value + fuzz_below(random, 33) - 16;
    value = fuzz_one_in(random, 16) ? ~value : value;
    memcpy(place, &value, width);
    return size;
}

static size_t copy_within(struct fuzz_random *random, uint8_t *bytes, size_t size, size_t max_bytes)
{
    uint32_t from = fuzz_below(random, (uint32_t)size), to = fuzz_below(random, (uint32_t)size);
    uint32_t most = (uint32_t)size - (from > to ? from : to);
    (void)max_bytes;
    memmove(bytes + to, bytes + from, 1 + fuzz_below(random, most));
    return size;
}

static size_t insert(struct fuzz_random *random, uint8_t *bytes, size_t size, size_t max_bytes)
{
    size_t count = 1 + fuzz_below(random, 16), at = fuzz_below(random, (uint32_t)size + 1);
    if (count > max_bytes - size) {
        return size;
    }
    memmove(bytes + at + count, bytes + at, size - at);
    for (size_t i = 0; i < count; i++) {
        bytes[at + i] = (uint8_t)fuzz_next(random);
    }
    return size + count;
}

static size_t cut(struct fuzz_random *random, uint8_t *bytes, size_t size, size_t max_bytes)
{
    size_t at = fuzz_below(random, (uint32_t)size), count = 1 + fuzz_below(random, 16);
    (void)max_bytes;
    count = count < size - at ? count : size - at;
    memmove(bytes + at, bytes + at + count, size - at - count);
    return size - count;
}

size_t fuzz_mutate_bytes(struct fuzz_random *random, uint8_t *bytes, size_t size, size_t max_bytes)
{
    static size_t (*const changes[])(struct fuzz_random *, uint8_t *, size_t, size_t) = {
        flip, any_byte, number, number, copy_within, insert, cut,
    };
    for (uint32_t i = 1 + fuzz_below(random, 4); i-- > 0;) {
        size = size ? changes[fuzz_below(random, sizeof(changes) / sizeof(changes[0]))](
                          random, bytes, size, max_bytes)
                    : insert(random, bytes, size, max_bytes);
    }
    return size;
}
