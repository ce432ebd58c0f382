/* Control flow: loops of every shape, switches, early returns, divergence inside divergence. */
#include "corpus.clh"

__kernel void if_else(__global const int *a, __global int *out)
{
    size_t i = GID;
    int r;
    if (a[i] < 0) {
        r = -a[i];
        if (a[i] & 1) {
            r += 3;
        } else {
            r ^= 0x55;
        }
    } else if (a[i] < 1000) {
        r = a[i] * 7;
    } else {
        r = a[i] / 3;
    }
    out[i] = r;
}

__kernel void if_without_else(__global const int *a, __global int *out)
{
    size_t i = GID;
    int r = a[i];
    if (r & 4) {
        r = r * 3 + 1;
    }
    if (r & 8) {
        r -= 17;
    }
    out[i] = r;
}

__kernel void early_return(__global const int *a, __global int *out)
{
    size_t i = GID;
    if (a[i] % 3 == 0) {
        return;
    }
    out[i] = a[i];
    if (a[i] & 1) {
        return;
    }
    out[i] += 5;
}

__kernel void return_in_loop(__global const int *a, __global int *out)
{
    size_t i = GID;
    int x = a[i] & 1023;
    for (int k = 0; k < 50; k++) {
        x += k;
        if (x % 13 == 0) {
            out[i] = x;
            return;
        }
        if (x > 1200) {
            out[i] = -k;
            return;
        }
    }
    out[i] = -1000;
}

__kernel void loop_uniform(__global const int *a, __global int *out, int count)
{
    size_t i = GID;
    int sum = 0;
    for (int k = 0; k < count; k++) {
        sum = sum * 3 + a[i] + k;
    }
    out[i] = sum;
}

__kernel void loop_uniform_from_memory(__global const int *a, __global const int *count,
                                       __global int *out)
{
    size_t i = GID;
    int sum = a[i];
    for (int k = 0; k < count[0] % 29; k++) {
        sum ^= sum << 1;
        sum += k;
    }
    out[i] = sum;
}

__kernel void loop_varying(__global const uint *a, __global uint *out)
{
    size_t i = GID;
    uint n = a[i] % 40, sum = 0;
    for (uint k = 0; k < n; k++) {
        sum += k * k + n;
    }
    out[i] = sum;
}

__kernel void loop_zero_or_more(__global const uint *a, __global uint *out)
{
    size_t i = GID;
    uint x = a[i], n = 0;
    while (x) {
        x &= x - 1;
        n++;
    }
    out[i] = n;
}

__kernel void loop_do_while(__global const uint *a, __global uint *out)
{
    size_t i = GID;
    uint x = a[i], n = 0;
    do {
        x = x / 3;
        n++;
    } while (x > 10);
    out[i] = n * 100 + x;
}

__kernel void loop_break(__global const int *a, __global int *out)
{
    size_t i = GID;
    int k, x = a[i] & 0xff;
    for (k = 0; k < 100; k++) {
        if ((x + k) % 31 == 0) {
            break;
        }
        x += k & 3;
    }
    out[2 * i] = k;
    out[2 * i + 1] = x;
}

__kernel void loop_continue(__global const int *a, __global int *out)
{
    size_t i = GID;
    int sum = 0;
    for (int k = 0; k < 30; k++) {
        if ((a[i] >> (k % 31)) & 1) {
            continue;
        }
        sum += k;
        if (sum > 200) {
            continue;
        }
        sum += 2;
    }
    out[i] = sum;
}

__kernel void loop_break_and_continue(__global const uint *a, __global uint *out)
{
    size_t i = GID;
    uint x = a[i], sum = 0;
    for (uint k = 0;; k++) {
        x = x * 1664525u + 1013904223u;
        if ((x >> 28) == 3) {
            break;
        }
        if (x & 0x100) {
            continue;
        }
        sum += x >> 20;
        if (k > 60) {
            break;
        }
    }
    out[i] = sum;
}

__kernel void loop_two_exits_with_values(__global const int *a, __global int *out)
{
    size_t i = GID;
    int x = a[i] & 63, found = -1, k = 0;
    while (k < 20) {
        if (x * k == 126) {
            found = k;
            goto done;
        }
        if (x + k == 70) {
            found = 1000 + x;
            break;
        }
        k++;
    }
    found -= 2;
done:
    out[i] = found * 32 + k;
}

__kernel void loop_uniform_value_divergent_exit(__global const uint *a, __global uint *out)
{
    size_t i = GID;
    uint k = 0;
    while (k < a[i] % 50) {
        k++;
    }
    out[i] = k * 3;
}

__kernel void loop_nested(__global const uint *a, __global uint *out)
{
    size_t i = GID;
    uint n = a[i] % 9, m = (a[i] >> 8) % 7, sum = 0;
    for (uint r = 0; r < n; r++) {
        for (uint c = 0; c < m + r; c++) {
            sum += r * c + 1;
        }
    }
    out[i] = sum;
}

__kernel void loop_nested_three(__global const uint *a, __global uint *out)
{
    size_t i = GID;
    uint sum = 0;
    for (uint x = 0; x < a[i] % 5; x++) {
        for (uint y = x; y < 6; y++) {
            if (y == (a[i] >> 5) % 6) {
                continue;
            }
            for (uint z = 0; z < y; z++) {
                if (z + x > 4) {
                    break;
                }
                sum = (sum ^ x) + 2 * y +
                      3 * z; /* no closed form: clang-22 loses bits of its 33-bit sums */
            }
        }
    }
    out[i] = sum;
}

__kernel void loop_nested_break_outer(__global const uint *a, __global uint *out)
{
    size_t i = GID;
    uint want = a[i] % 200, at = 0xffffffffu;
    for (uint r = 1; r < 15 && at == 0xffffffffu; r++) {
        for (uint c = 1; c < 15; c++) {
            if (r * c == want) {
                at = r * 100 + c;
                break;
            }
        }
    }
    out[i] = at;
}

__kernel void loop_uniform_outer_varying_inner(__global const uint *a, __global uint *out,
                                               uint count)
{
    size_t i = GID;
    uint x = a[i], steps = 0;
    for (uint k = 0; k < count; k++) {
        while (x % 5 != k % 5) {
            x = x / 2 + 3 * k + 1;
            if (x < 10 || ++steps > 20) {
                break;
            }
        }
        x += k;
    }
    out[i] = x + steps;
}

__kernel void loop_varying_outer_uniform_inner(__global const uint *a, __global uint *out,
                                               uint count)
{
    size_t i = GID;
    uint x = a[i] % 1000;
    while (x > 20) {
        for (uint k = 0; k < count; k++) {
            x -= x / 7 + (k & 1);
        }
    }
    out[i] = x;
}

__kernel void loop_swapped_values(__global const uint *a, __global uint *out)
{
    size_t i = GID;
    uint f = 0, g = 1, n = a[i] % 45;
    for (uint k = 0; k < n; k++) {
        uint t = f + g;
        f = g;
        g = t;
    }
    out[2 * i] = f;
    out[2 * i + 1] = g;
}

__kernel void loop_rotated_values(__global const int *a, __global int *out)
{
    size_t i = GID;
    int x = a[i], y = 1, z = 2;
    for (int k = 0; k < (a[i] & 7); k++) {
        int t = x;
        x = y;
        y = z;
        z = t;
    }
    out[i] = x * 9 + y * 3 + z;
}

__kernel void loop_stores(__global const uint *a, __global uint *out)
{
    size_t i = GID;
    for (uint k = 0; k < a[i] % 8; k++) {
        out[8 * i + k] = k * 11 + (uint)i;
    }
}

__kernel void loop_downwards(__global const uint *a, __global int *out)
{
    size_t i = GID;
    int sum = 0;
    for (int k = (int)(a[i] % 33); k >= 0; k -= 3) {
        sum = sum * 2 - k;
    }
    out[i] = sum;
}

__kernel void loop_64_bit(__global const uint *a, __global ulong *out)
{
    size_t i = GID;
    ulong sum = 0;
    for (ulong k = 0x100000000ul; k < 0x100000000ul + a[i] % 25; k++) {
        sum += k ^ i;
    }
    out[i] = sum;
}

__kernel void loop_float_bound(__global const float *a, __global int *out)
{
    size_t i = GID;
    float x = fabs(a[i]) + 1.0f;
    int n = 0;
    while (x > 0.01f && n < 200) {
        x *= 0.9f;
        n++;
    }
    out[i] = n;
}

__kernel void switch_dense(__global const uint *a, __global int *out)
{
    size_t i = GID;
    int r;
    switch (a[i] % 7) {
    case 0:
        r = 10;
        break;
    case 1:
        r = (int)a[i] * 3;
        break;
    case 2:
    case 3:
        r = -4;
        break;
    case 4:
        r = (int)(a[i] >> 4);
        break;
    default:
        r = 99;
    }
    out[i] = r;
}

__kernel void switch_sparse(__global const int *a, __global int *out)
{
    size_t i = GID;
    switch (a[i] & 0xff) {
    case 3:
        out[i] = 1;
        return;
    case 200:
        out[i] = 2;
        break;
    case 17:
        out[i] = 3;
        break;
    case 255:
        out[i] = 4;
        break;
    }
    out[i] += (a[i] & 0xff) > 100 ? 50 : 60;
}

__kernel void switch_fallthrough(__global const uint *a, __global int *out)
{
    size_t i = GID;
    int r = 0;
    switch (a[i] & 7) {
    case 6:
        r += 1;
    case 5:
        r += 10;
        if (a[i] & 64) {
            break;
        }
    case 2:
        r += 100;
        break;
    case 1:
        r = -1;
    default:
        r -= 5;
    }
    out[i] = r;
}

__kernel void switch_in_loop(__global const uint *a, __global uint *out)
{
    size_t i = GID;
    uint state = a[i] & 3, x = a[i], steps = 0;
    while (steps < 40) {
        switch (state) {
        case 0:
            x = x * 5 + 1;
            state = x & 8 ? 1 : 2;
            break;
        case 1:
            x ^= x >> 7;
            state = 2 + (x & 1);
            break;
        case 2:
            if (x % 11 == 0) {
                goto done;
            }
            state = 3;
            continue;
        default:
            x += 77;
            state = 0;
        }
        steps++;
    }
done:
    out[i] = x + steps;
}

__kernel void switch_long(__global const long *a, __global int *out)
{
    size_t i = GID;
    switch (a[i]) {
    case 0x100000000l:
        out[i] = 1;
        break;
    case -1:
        out[i] = 2;
        break;
    case 0:
        out[i] = 3;
        break;
    default:
        out[i] = (int)(a[i] >> 60);
    }
}

__kernel void switch_char(__global const uchar *a, __global uchar *out)
{
    size_t i = GID;
    uchar c = a[i];
    switch (c) {
    case 'a':
    case 'e':
    case 'i':
        out[i] = 'V';
        break;
    case 0:
        out[i] = 0;
        break;
    case 255:
        out[i] = 1;
        break;
    default:
        out[i] = c < 128 ? 'l' : 'h';
    }
}

__kernel void switch_uniform(__global const int *a, __global int *out, int which)
{
    size_t i = GID;
    switch (which) {
    case 1:
        out[i] = a[i];
        break;
    case 2:
        out[i] = a[i] * 2;
        break;
    default:
        out[i] = 0;
    }
}

__kernel void short_circuit(__global const int *a, __global const int *b, __global int *out)
{
    size_t i = GID;
    size_t n = get_global_size(0);
    int r = 0;
    if (a[i] > 0 && (size_t)a[i] < n && b[a[i]] & 1) {
        r |= 1;
    }
    if (a[i] < 0 || (size_t)a[i] >= n || b[a[i]] & 2) {
        r |= 2;
    }
    out[i] = r;
}

__kernel void guarded_access(__global const int *a, __global const int *at, __global int *out)
{
    size_t i = GID;
    int r = -1;
    if (at[i] >= 0 && at[i] < (int)get_global_size(0)) {
        r = a[at[i]];
    }
    out[i] = r;
}

__kernel void ternary_chain(__global const int *a, __global int *out)
{
    size_t i = GID;
    int x = a[i];
    out[i] = x < -100 ? 1 : x < 0 ? 2 : x == 0 ? 3 : x < 100 ? x : x % 2 ? 4 : 5;
}

__kernel void goto_forward(__global const int *a, __global int *out)
{
    size_t i = GID;
    int x = a[i];
    if (x & 1) {
        goto odd;
    }
    x += 10;
    if (x & 4) {
        goto end;
    }
    x *= 2;
odd:
    x -= 3;
end:
    out[i] = x;
}

__kernel void goto_backward(__global const uint *a, __global uint *out)
{
    size_t i = GID;
    uint x = a[i] & 0xffff, n = 0;
again:
    n++;
    x = x & 1 ? x * 3 + 1 : x / 2;
    if (n < 100 && x > 4) {
        goto again;
    }
    out[i] = n;
}

/* Two entries into one loop. */
__kernel void goto_into_loop(__global const uint *a, __global uint *out)
{
    size_t i = GID;
    uint x = a[i] & 255, n = 0;
    if (x & 1) {
        goto second;
    }
first:
    x += 7;
    n += 1;
second:
    x = x / 2 + 1;
    n += 100;
    if (n < 1000 && x > 3) {
        goto first;
    }
    out[i] = n + x;
}

__kernel void diamond_of_diamonds(__global const uint *a, __global uint *out)
{
    size_t i = GID;
    uint x = a[i], r = 1;
    for (uint k = 0; k < 8; k++) {
        if (x & (1u << k)) {
            r = x & (1u << (k + 8)) ? r * 3 : r + 7;
        } else {
            r = x & (1u << (k + 16)) ? r ^ 0x1234 : r - 1;
        }
    }
    out[i] = r;
}

__kernel void branch_uniform(__global const int *a, __global int *out, int flag)
{
    size_t i = GID;
    if (flag > 5) {
        out[i] = a[i] * 3;
    } else {
        out[i] = a[i] - 3;
    }
}

__kernel void branch_on_group(__global const int *a, __global int *out)
{
    size_t i = GID;
    if (get_group_id(0) & 1) {
        out[i] = a[i] + 1000;
    } else {
        out[i] = -a[i];
    }
}

__kernel void branch_on_id(__global const int *a, __global int *out)
{
    size_t i = GID;
    if (i % 3 == 0) {
        out[i] = 1;
    } else if (i & 4) {
        out[i] = a[i];
    } else {
        out[i] = -2;
    }
}

__kernel void all_lanes_off(__global const int *a, __global int *out)
{
    size_t i = GID;
    out[i] = 1;
    if (a[i] == 0x7ffffff3 && a[(i + 1) % get_global_size(0)] == 0x13579bdf) {
        out[i + (size_t)a[i] * 1000] = 5;
    }
}

__kernel void divergent_then_uniform_loop(__global const int *a, __global int *out, int count)
{
    size_t i = GID;
    int r = 0;
    if (a[i] & 1) {
        for (int k = 0; k < count; k++) {
            r += a[(i + (size_t)k) % get_global_size(0)] & 0xff;
        }
    } else {
        for (int k = count; k > 0; k -= 2) {
            r ^= a[i] >> (k & 15);
        }
    }
    out[i] = r;
}

__kernel void gcd(__global const uint *a, __global const uint *b, __global uint *out)
{
    size_t i = GID;
    uint x = a[i], y = b[i];
    while (y) {
        uint t = x % y;
        x = y;
        y = t;
    }
    out[i] = x;
}

__kernel void binary_search(__global const uint *sorted, __global const uint *want,
                            __global uint *out)
{
    size_t i = GID;
    uint low = 0, high = (uint)get_global_size(0);
    while (low < high) {
        uint middle = (low + high) / 2;
        if (sorted[middle] < want[i]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    out[i] = low;
}

__kernel void bool_values(__global const int *a, __global int *out)
{
    size_t i = GID;
    bool seen = false, other = a[i] > 0;
    for (int k = 0; k < 8; k++) {
        bool bit = (a[i] >> k) & 1;
        seen = seen || (bit && !other);
        other = other != bit;
    }
    out[i] = seen + 2 * other;
}
