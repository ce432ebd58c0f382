/* Fills kernel arguments, prints checksums of results and statistics of times, and reads the clock.
 * See table.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "table.h"

enum { SIGNS = 4 };

size_t bench_arg_count(const struct bench_row *row)
{
    size_t count = 0;
    while (count < BENCH_ARGS && row->args[count].fill != FILL_NONE) {
        count++;
    }
    return count;
}

static uint32_t next(uint32_t *state)
{
    return *state = *state * 1664525u + 1013904223u;
}

static uint8_t twice(uint8_t x)
{
    return (uint8_t)(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}

/* Fills in the S-box: the inverse in GF(2^8), followed by an affine map. The loop walks through the
 * powers of 3 and of its inverse together, so that one is the inverse of the other. */
static void fill_box(uint32_t *words)
{
    uint8_t power = 1, inverse = 1, box[256] = {0x63};
    do {
        power ^= twice(power);
        inverse ^= (uint8_t)(inverse << 1);
        inverse ^= (uint8_t)(inverse << 2);
        inverse ^= (uint8_t)(inverse << 4);
        inverse ^= inverse & 0x80 ? 0x09 : 0;
        uint32_t twofold = inverse * 0x101u;
        box[power] =
            (uint8_t)(inverse ^ twofold >> 7 ^ twofold >> 6 ^ twofold >> 5 ^ twofold >> 4 ^ 0x63);
    } while (power != 1);
    for (int i = 0; i < 256; i++) {
        uint32_t s = box[i], s2 = twice(box[i]);
        words[i] = s2 << 24 | s << 16 | s << 8 | (s2 ^ s);
    }
}

static void fill_rows(uint32_t *words, size_t count)
{
    uint32_t state = 99, begin = 0;
    for (size_t i = 0; i < count; i++) {
        words[i] = begin;
        begin += 1 + (next(&state) >> 27);
    }
}

static void fill_roots(float *floats, uint32_t order)
{
    for (uint32_t m = 0; m < order; m++) {
        double angle = -2.0 * 3.14159265358979323846 * m / order;
        floats[2 * (size_t)m] = (float)cos(angle);
        floats[2 * (size_t)m + 1] = (float)sin(angle);
    }
}

void bench_fill(const struct bench_arg *arg, void *memory)
{
    uint32_t state = 12345, *words = memory;
    float *floats = memory;
    size_t count = arg->bytes / 4;
    switch (arg->fill) {
    case FILL_NONE:
    case FILL_VALUE:
        break;
    case FILL_ZERO:
        memset(memory, 0, arg->bytes);
        break;
    case FILL_UNIT:
        for (size_t i = 0; i < count; i++) {
            floats[i] = (float)(next(&state) >> 8) * (1.0f / 16777216.0f);
        }
        break;
    case FILL_BITS:
        for (size_t i = 0; i < count; i++) {
            words[i] = next(&state);
        }
        break;
    case FILL_BELOW:
        for (size_t i = 0; i < count; i++) {
            words[i] = (uint32_t)((uint64_t)next(&state) * arg->value >> 32);
        }
        break;
    case FILL_ROWS:
        fill_rows(words, count);
        break;
    case FILL_ROOTS:
        fill_roots(floats, arg->value);
        break;
    case FILL_BOX:
        fill_box(words);
        break;
    }
}

/* Returns a hash of an index: its bits do not depend on those of neighbours. */
static uint32_t scrambled(size_t index)
{
    uint32_t x = (uint32_t)index * 0x9e3779b9u;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

static void digest_near(const struct bench_arg *arg, const void *memory)
{
    double sums[SIGNS] = {0}, squares = 0;
    for (size_t i = 0; i < arg->bytes / 4; i++) {
        uint32_t signs = scrambled(i);
        double value = arg->check == CHECK_FLOATS ? (double)((const float *)memory)[i]
                                                  : (double)((const uint32_t *)memory)[i];
        squares += value * value;
        for (int k = 0; k < SIGNS; k++) {
            sums[k] += signs >> k & 1 ? value : -value;
        }
    }
    printf(" near");
    for (int k = 0; k < SIGNS; k++) {
        printf(" %.9g", sums[k]);
    }
    printf(" %.9g", sqrt(squares));
}

void bench_digest(const struct bench_arg *arg, const void *memory)
{
    if (arg->check == CHECK_BITS) {
        uint64_t hash = 0xcbf29ce484222325u;
        for (size_t i = 0; i < arg->bytes / 4; i++) {
            hash = (hash ^ ((const uint32_t *)memory)[i]) * 0x100000001b3u;
        }
        printf(" bits %016llx", (unsigned long long)hash);
    } else if (arg->check != CHECK_NONE) {
        digest_near(arg, memory);
    }
}

double bench_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *samples, size_t count)
{
    qsort(samples, count, sizeof(*samples), compare);
    return samples[count / 2];
}

void bench_print_launch(double *ms, size_t count)
{
    double median = bench_median(ms, count);
    printf("launch %.3f %.3f\n", ms[0] * 1e3, median * 1e3);
}
