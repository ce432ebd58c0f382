/* The words of a SPIR-V module, for code that changes them before the compiler reads them. */
#ifndef GEO_NATIVE_WORDS_H
#define GEO_NATIVE_WORDS_H

#include <spirv/unified1/spirv.h>

#include <stddef.h>
#include <stdint.h>

#define GEO_SPIRV_HEADER_WORDS 5u
/* OpTypeCooperativeMatrixKHR, which headers of SPIR-V lack if they are older than the extension. */
#define GEO_SPIRV_OP_TYPE_MATRIX 4456u

/* Brings the words of a module into the host's byte order. */
static inline void geo_spirv_words_to_host(uint32_t *words, size_t count)
{
    const int turned = count > 0 && words[0] == __builtin_bswap32(SpvMagicNumber);
    for (size_t i = 0; turned && i < count; i++) {
        words[i] = __builtin_bswap32(words[i]);
    }
}

#endif
