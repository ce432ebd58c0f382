/* Kernels whose basic blocks are counted (test_blocks.py). */

/* Steps of each number until it is 1. The loop runs as often as the slowest lane of a vector
 * needs. */
kernel void collatz(global uint *out, uint n)
{
    uint value = get_global_id(0) % n + 1, steps = 0;
    while (value != 1) {
        value = value % 2 ? 3 * value + 1 : value / 2;
        steps++;
    }
    out[get_global_id(0)] = steps;
}

/* A group's sum, by halves. */
kernel void sum_group(global uint *out, uint n)
{
    local uint values[64];
    uint i = get_local_id(0);
    values[i] = get_global_id(0) * n;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (i < half_size) {
            values[i] += values[i + half_size];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = values[0] + i;
}

/* Many cases, which are a jump table at one lane. The number is the same for all work-items. */
kernel void choose(global uint *out, uint n)
{
    uint i = get_global_id(0), value = i;
    for (uint k = 0; k < n; k++) {
        switch (k * k % 11) {
        case 0:
            value = value * 31 + k;
            break;
        case 1:
            value ^= value >> 3;
            break;
        case 2:
            value -= i * k;
            break;
        case 3:
            value = value << 5 | value >> 27;
            break;
        case 4:
            value += 0x9e3779b9u;
            break;
        case 5:
            value = ~value * 7;
            break;
        case 6:
            out[i] = value;
            break;
        case 7:
            value += out[i];
            break;
        case 8:
            value %= 1000003;
            break;
        case 9:
            value = popcount(value) * k;
            break;
        default:
            value++;
            break;
        }
    }
    out[i] = value;
}

float __attribute__((noinline)) helper(float x, uint k)
{
    float sum = 0;
    for (uint i = 0; i < k; i++) {
        sum += sin(x * i) / (1 + i);
    }
    return sum;
}

/* Floating point, a function, and flags that live across blocks. */
kernel void waves(global uint *out, uint n)
{
    uint i = get_global_id(0);
    float value = helper(i * 0.25f, i % n);
    long wide = (long)i * n - 50;
    if (wide > 40) {
        value = -value;
    } else if (wide == 40 || value > 1) {
        value += 3;
    }
    out[i] = as_uint(value);
}
