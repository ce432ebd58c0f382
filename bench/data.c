/* Fills kernel arguments, prints checksums of results and statistics of times, and reads the clock.
 * See table.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "table.h"

enum { SIGNS = 4, MOST_SUMS = 64, KEYS_SEED = 12345 };

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

/* The exponent of the halves is that of 0.5. */
static void fill_halves(uint16_t *halves, size_t count)
{
    uint32_t state = 777;
    for (size_t i = 0; i < count; i++) {
        halves[i] = (uint16_t)(0x3800 | next(&state) >> 22);
    }
}

static void fill_sorted(uint32_t *words, size_t count)
{
    uint32_t state = 4242, value = 0, step = UINT32_MAX / (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        words[i] = value += next(&state) % step;
    }
}

static void fill_places(uint32_t *places, size_t count, uint32_t shift)
{
    enum { DIGITS = 16, GROUP = 256 };
    size_t groups = count / DIGITS;
    uint32_t state = KEYS_SEED, sum = 0;
    memset(places, 0, count * sizeof(*places));
    for (size_t i = 0; i < groups * GROUP; i++) {
        places[(next(&state) >> shift & (DIGITS - 1)) * groups + i / GROUP]++;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t here = places[i];
        places[i] = sum;
        sum += here;
    }
}

/* Writes words of 1 to 8 letters. One letter in 16 has two bytes, and as many have three. */
static void fill_text(uint8_t *text, size_t count)
{
    uint32_t state = 31337, left = 3;
    size_t i = 0;
    while (i < count) {
        uint32_t random = next(&state) >> 16, letter = random & 15;
        if (left == 0) {
            text[i++] = (random & 0x70) == 0 ? '\n' : ' ';
            left = 1 + letter / 2;
        } else if (letter == 0 && i + 2 <= count) {
            text[i++] = (uint8_t)(0xc3 + (random >> 4 & 7));
            text[i++] = (uint8_t)(0x80 | random >> 10);
            left--;
        } else if (letter == 1 && i + 3 <= count) {
            text[i++] = (uint8_t)(0xe1 + (random >> 4 & 7));
            text[i++] = (uint8_t)(0x80 | (random >> 6 & 63));
            text[i++] = (uint8_t)(0x80 | random >> 10);
            left--;
        } else {
            text[i++] = (uint8_t)('a' + random % 26);
            left--;
        }
    }
}

/* Fills in the node and those below it. Its spheres are inside the cell from low to high, which is
 * halved along one axis after the other. */
static void fill_node(float (*nodes)[8], size_t node, size_t count, int axis, const float *low,
                      const float *high, uint32_t *state)
{
    float *box = nodes[node];
    if (2 * node + 2 >= count) {
        float radius = 1.0f;
        for (int k = 0; k < 3; k++) {
            radius = fminf(radius, (high[k] - low[k]) * 0.3f);
        }
        for (int k = 0; k < 3; k++) {
            float unit = (float)(next(state) >> 8) * (1.0f / 16777216.0f);
            box[k] = low[k] + (high[k] - low[k] - 2 * radius) * unit;
            box[k + 4] = box[k] + 2 * radius;
        }
        return;
    }
    float middle[3] = {low[0], low[1], low[2]}, top[3] = {high[0], high[1], high[2]};
    middle[axis] = top[axis] = 0.5f * (low[axis] + high[axis]);
    fill_node(nodes, 2 * node + 1, count, (axis + 1) % 3, low, top, state);
    fill_node(nodes, 2 * node + 2, count, (axis + 1) % 3, middle, high, state);
    for (int k = 0; k < 3; k++) {
        box[k] = fminf(nodes[2 * node + 1][k], nodes[2 * node + 2][k]);
        box[k + 4] = fmaxf(nodes[2 * node + 1][k + 4], nodes[2 * node + 2][k + 4]);
    }
}

static void fill_tree(float *floats, size_t count)
{
    const float low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    uint32_t state = 2024;
    memset(floats, 0, count * sizeof(float[8]));
    fill_node((float (*)[8])floats, 0, count, 0, low, high, &state);
}

void bench_fill(const struct bench_arg *arg, void *memory)
{
    uint32_t state = KEYS_SEED, *words = memory;
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
    case FILL_HALVES:
        fill_halves(memory, arg->bytes / 2);
        break;
    case FILL_SORTED:
        fill_sorted(words, count);
        break;
    case FILL_PLACES:
        fill_places(words, count, arg->value);
        break;
    case FILL_TEXT:
        fill_text(memory, arg->bytes);
        break;
    case FILL_TREE:
        fill_tree(floats, arg->bytes / sizeof(float[8]));
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

static void digest_most(const float *floats, size_t count)
{
    double sums[MOST_SUMS] = {0};
    for (size_t i = 0; i < count; i++) {
        sums[i % MOST_SUMS] += (double)floats[i];
    }
    printf(" most");
    for (size_t k = 0; k < MOST_SUMS; k++) {
        printf(" %.9g", sums[k]);
    }
}

void bench_digest(const struct bench_arg *arg, const void *memory)
{
    if (arg->check == CHECK_BITS) {
        uint64_t hash = 0xcbf29ce484222325u;
        for (size_t i = 0; i < arg->bytes / 4; i++) {
            hash = (hash ^ ((const uint32_t *)memory)[i]) * 0x100000001b3u;
        }
        printf(" bits %016llx", (unsigned long long)hash);
    } else if (arg->check == CHECK_MOST) {
        digest_most(memory, arg->bytes / 4);
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
