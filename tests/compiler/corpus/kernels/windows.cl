/* Loops over a window around each item, which is clamped at the borders. Items in the middle take the
 * same number of turns. */
#include "corpus.clh"

#define MIX(hash, x) ((hash) * 31u + (uint)(x))
#define X            ((int)GID)
#define N            ((int)get_global_size(0))

/* A loop `for (type k = first; test; step)` that hashes the elements of a window in order. */
#define WINDOW(name, type, first, test, step)                                                      \
    __kernel void name(__global const int *in, __global uint *out, int r)                          \
    {                                                                                              \
        uint hash = 7;                                                                             \
        for (type k = first; test; step) {                                                         \
            hash = MIX(hash, in[k]);                                                               \
        }                                                                                          \
        out[GID] = hash;                                                                           \
    }

WINDOW(window_int, int, max(X - r, 0), k <= min(X + r, N - 1), k++)
WINDOW(window_less, int, max(X - r, 0), k < min(X + r + 1, N), k++)
WINDOW(window_uint, uint, (uint)X > (uint)r ? (uint)X - (uint)r : 0,
       k <= min((uint)(X + r), (uint)N - 1), k++)
WINDOW(window_long, long, max((long)X - r, 0L), k <= min((long)X + r, N - 1L), k++)
WINDOW(window_size, size_t, GID < (size_t)r ? 0 : GID - (size_t)r,
       k < (GID + (size_t)r < get_global_size(0) ? GID + (size_t)r + 1 : get_global_size(0)), k++)
WINDOW(window_saturated, uint, sub_sat((uint)X, (uint)r), k <= min((uint)(X + r), (uint)N - 1), k++)
WINDOW(window_selected, int, X < r ? 0 : X - r, k < (X + r < N ? X + r : N), k++)
WINDOW(window_behind, int, max(X - r + 1, 0), k <= X, k++)
WINDOW(window_ahead, int, X, k < min(X + r, N), k++)
WINDOW(window_down, int, min(X + r, N - 1), k >= max(X - r, 0), k--)
WINDOW(window_of_twos, int, max(X - r, 0), k <= min(X + r, N - 1), k += 2)
WINDOW(window_not_equal, int, max(X - r, 0), k != min(X + r, N), k++)
WINDOW(window_backwards, int, max(N - 1 - X - r, 0), k <= min(N - 1 - X + r, N - 1), k++)
WINDOW(window_of_pairs, int, max(2 * X - r, 0), k < min(2 * X + r, N), k++)
WINDOW(window_to_the_end, int, max(X - r, 0), k < N, k++)
WINDOW(window_from_the_start, int, 0, k < min(X + r, N), k++)
WINDOW(window_empty, int, max(X + r, 0), k < min(X - r, N - 1), k++)
WINDOW(window_of_each, int, max(X - (in[X] & 3), 0), k < min(X + r, N), k++)

/* Bounds that wrap around between two items: no element is in reach of those behind. */
__kernel void window_wraps(__global const int *in, __global uint *out, int r)
{
    uint hash = 7;
    int x = (int)((uint)X + 0x7fffffe0u), first = max((int)((uint)x - (uint)r), 5);
    for (int k = first; k < min((int)((uint)x + (uint)r), 0x7ffffff9); k++) {
        hash = MIX(hash, in[k % N]);
    }
    out[GID] = hash;
}

/* The length of the window, and an index inside it. */
__kernel void window_weights(__global const int *in, __global uint *out, int r)
{
    int first = max(X - r, 0), end = min(X + r + 1, N);
    uint hash = 7;
    for (int k = first; k < end; k++) {
        hash = MIX(hash, in[k] * in[(k - X + r) % N]);
    }
    out[GID] = hash * 64 + (uint)(end - first);
}

/* Some items have no window. */
__kernel void window_of_some(__global const int *in, __global uint *out, int r)
{
    uint hash = 7;
    if (X % 3 && X < N - 2) {
        for (int k = max(X - r, 0); k <= min(X + r, N - 1); k++) {
            hash = MIX(hash, in[k]);
        }
    }
    out[GID] = hash;
}

/* Two windows, one inside the other, that leave by different bounds. */
__kernel void window_in_window(__global const int *in, __global uint *out, int r)
{
    uint hash = 7;
    for (int j = max(X - 2, 0); j <= min(X + 2, N - 1); j++) {
        for (int k = max(j - r, 0); k <= min(X + r, N - 1); k++) {
            hash = MIX(hash, in[k]);
        }
        hash = MIX(hash, in[j]);
    }
    out[GID] = hash;
}

/* Along both axes of a plane. */
__kernel void window_of_plane(__global const int *in, __global uint *out, int r)
{
    int y = (int)get_global_id(1), width = N, height = (int)get_global_size(1);
    uint hash = 7;
    for (int j = max(y - r, 0); j <= min(y + r, height - 1); j++) {
        for (int i = max(X - r, 0); i <= min(X + r, width - 1); i++) {
            hash = MIX(hash, in[j * width + i]);
        }
    }
    out[y * width + X] = hash;
}
