/* Random numbers of the generator: a seed gives the same sequence on every machine. */
#ifndef GEOID_TESTS_GENERATOR_RANDOM_H
#define GEOID_TESTS_GENERATOR_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct gen_random {
    uint64_t state;
};

/* Splitmix: every 64-bit state is a good one. */
static inline uint64_t gen_random(struct gen_random *random)
{
    uint64_t bits = random->state += 0x9E3779B97F4A7C15u;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
    return bits ^ bits >> 31;
}

/* In [0, bound). */
static inline uint32_t gen_below(struct gen_random *random, uint32_t bound)
{
    return (uint32_t)(gen_random(random) % bound);
}

static inline bool gen_chance(struct gen_random *random, uint32_t percent)
{
    return gen_below(random, 100) < percent;
}

#endif
