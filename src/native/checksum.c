/* Computes XXH3 over the bytes before the hole, and with that result as seed over the bytes behind
 * it. See checksum.h. */
#include "native/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t geo_native_checksum(const uint8_t *bytes, size_t size, size_t hole)
{
    size_t behind = hole + sizeof(uint64_t);
    return XXH3_64bits_withSeed(bytes + behind, size - behind, XXH3_64bits(bytes, hole));
}
