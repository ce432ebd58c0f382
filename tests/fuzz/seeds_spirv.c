/* Modules to change: kernels of files, each by itself, and random kernels of the generator. */
#include "seeds_spirv.h"

#include "spirv_edit.h"

#include "generate.h"
#include "spirv.h"

#include <stdlib.h>

enum { GENERATED = 400 };

static bool slice_take(const uint8_t *bytes, size_t size)
{
    return size > SEED_BYTES_MAX || fuzz_pool_add(bytes, size);
}

bool spirv_seeds_take(const uint8_t *bytes, size_t size)
{
    return spirv_slice(bytes, size, slice_take);
}

/* Random kernels that are small enough; the first of the generator's, whatever the run's seed. */
bool spirv_seeds_generate(void)
{
    bool good = true;
    for (uint32_t seed = 0; good && seed < GENERATED; seed++) {
        struct gen_program *program = gen_program_make(seed);
        size_t count;
        uint32_t *words = gen_emit_spirv(program, &count);
        good = words && slice_take((const uint8_t *)words, count * sizeof(*words));
        free(words);
        gen_program_destroy(program);
    }
    return good;
}

/* Small ones more often: the smallest of three. */
size_t spirv_seeds_pick(struct fuzz_random *random, uint8_t *bytes, size_t max_bytes)
{
    size_t size = fuzz_pool_pick(random, bytes, max_bytes);
    for (int i = 0; i < 2; i++) {
        size_t smaller = fuzz_pool_pick(random, bytes, size);
        size = smaller ? smaller : size;
    }
    return size;
}
