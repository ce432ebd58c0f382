/* Kernels of rays.cl in plain C. */
#include <math.h>

#include "host.h"

static float dot(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static float trace(const float (*restrict nodes)[8], int inner, const float *origin,
                   const float *direction)
{
    int stack[32], top = 0;
    float inverse[3], nearest = INFINITY;
    for (int k = 0; k < 3; k++) {
        inverse[k] = 1.0f / direction[k];
    }
    stack[top++] = 0;
    while (top > 0) {
        int node = stack[--top];
        const float *low = nodes[node], *high = nodes[node] + 4;
        float begin = 0.0f, end = nearest;
        for (int k = 0; k < 3; k++) {
            float a = (low[k] - origin[k]) * inverse[k], b = (high[k] - origin[k]) * inverse[k];
            begin = fmaxf(begin, fminf(a, b));
            end = fminf(end, fmaxf(a, b));
        }
        if (begin > end) {
            continue;
        }
        if (node < inner) {
            int first = 2 * node + 1;
            const float *one = nodes[first], *other = nodes[first + 1];
            float middle[3];
            for (int k = 0; k < 3; k++) {
                middle[k] = one[k + 4] + one[k] - other[k + 4] - other[k];
            }
            int swap = dot(middle, direction) > 0.0f;
            stack[top++] = first + 1 - swap;
            stack[top++] = first + swap;
            continue;
        }
        float to[3], radius = 0.5f * (high[0] - low[0]);
        for (int k = 0; k < 3; k++) {
            to[k] = 0.5f * (low[k] + high[k]) - origin[k];
        }
        float along = dot(to, direction), aside[3];
        for (int k = 0; k < 3; k++) {
            aside[k] = to[k] - along * direction[k];
        }
        float square = radius * radius - dot(aside, aside);
        if (square > 0.0f) {
            nearest = fminf(nearest, along - sqrtf(square));
        }
    }
    return nearest == INFINITY ? 0.0f : nearest;
}

static void bvh_trace(const struct bench_call *call, size_t first, size_t end)
{
    const float (*restrict nodes)[8] = call->memory[0];
    int width = (int)call->value[2], height = (int)call->value[3], inner = (int)call->value[4];
    const float origin[3] = {0.5f, 0.5f, -1.0f};
    for (int y = (int)first; y < (int)end; y++) {
        for (int x = 0; x < width; x++) {
            float d[3] = {((float)x + 0.5f) / (float)width - 0.5f,
                          ((float)y + 0.5f) / (float)height - 0.5f, 1.2f};
            float length = sqrtf(dot(d, d));
            for (int k = 0; k < 3; k++) {
                d[k] /= length;
            }
            FLOATS(1)[y * width + x] = trace(nodes, inner, origin, d);
        }
    }
}

static uint32_t count_queens(int columns, int left, int right, int full)
{
    uint32_t count = 0;
    if (columns == full) {
        return 1;
    }
    for (int open = full & ~(columns | left | right); open; open &= open - 1) {
        int queen = open & -open;
        count +=
            count_queens(columns | queen, ((left | queen) << 1) & full, (right | queen) >> 1, full);
    }
    return count;
}

static void queens(const struct bench_call *call, size_t first, size_t end)
{
    int n = (int)call->value[1], full = (1 << n) - 1;
    for (int item = (int)first * 64; item < (int)end * 64; item++) {
        int a = item % n, b = item / n;
        if (b >= n || (a - b <= 1 && b - a <= 1)) {
            WORDS(0)[item] = 0;
            continue;
        }
        int one = 1 << a, two = 1 << b;
        WORDS(0)
        [item] = count_queens(one | two, (one << 2 | two << 1) & full, one >> 2 | two >> 1, full);
    }
}

static const struct bench_loop loops[] = {
    {"bvh_trace", PARTS_ROWS, bvh_trace},
    {"queens", PARTS_GROUPS, queens},
};
LOOPS(bench_host_rays, loops);
