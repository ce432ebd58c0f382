/* Maths, a divergent loop and a barrier: enough for both compilers to have something to do. */
__kernel void mix_up(__global const uint *in, __global uint *out, __local uint *shared)
{
    uint l = get_local_id(0), n = get_local_size(0), x = in[get_global_id(0)];
    for (uint turns = x % 7; turns > 0; turns--) {
        x = x * 1664525u + 1013904223u;
    }
    shared[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = shared[n - 1 - l] ^ ROUND;
}
