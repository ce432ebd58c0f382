/* The seeds of targets whose inputs are SPIR-V modules. */
#ifndef GEO_TESTS_FUZZ_SEEDS_SPIRV_H
#define GEO_TESTS_FUZZ_SEEDS_SPIRV_H

#include "fuzz.h"

#define SEED_BYTES_MAX  12000u            /* larger ones take longer to build, and are no other */
#define SPIRV_BYTES_MAX ((size_t)1 << 18) /* of what becomes of them */

bool spirv_seeds_take(const uint8_t *bytes, size_t size);
bool spirv_seeds_generate(void);
size_t spirv_seeds_pick(struct fuzz_random *random, uint8_t *bytes, size_t max_bytes);

#endif
