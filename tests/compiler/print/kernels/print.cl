// Every line starts with the number of the work-item that prints it. What is printed is computed
// again by cases.c.

#define ITEM ((int)get_global_id(0))

kernel void scalars(global const int *in, global int *out)
{
    int i = ITEM, v = in[i];
    printf("%d a %d %i %u %x %X %o %c\n", i, v, v, (uint)v, v, v, v, 'a' + i % 26);
    printf("%d b %hhd %hd %ld %lu %lx %#lo\n", i, (char)v, (short)(v * 1000), (long)v << 33,
           (ulong)v, (ulong)i << 40, (ulong)i);
    printf("%d c %f %.3f %10.2f|%-10.1f|%+e %g %G %a\n", i, v * 0.25f, v * 0.125, v * 0.5f, v * 1.5,
           v * 1e10, v * 1e-5, v * 1e20, v * 0.75);
    printf("%d d %s %10s|%-6s|%.2s %% %5c|%05d|% d\n", i, "text", "right", "left", "cut", 'z', v,
           v);
    out[i] = printf("%d e\n", i);
}

kernel void vectors(global const int *in, global int *out)
{
    int i = ITEM, v = in[i];
    printf("%d %v2hhd %v3hx %v4hld %v8lu\n", i, (char2)((char)v, 1), (ushort3)((ushort)v, 2, 3),
           (int4)(v, 4, 5, 6), (ulong8)((ulong)v, 1, 2, 3, 4, 5, 6, 7));
    printf("%d %v4hlf %#6.2v4hlg %v16hhu %v2lf\n", i, (float4)(v, 0.5f, 1.5f, 2.5f),
           (float4)(v * 0.125f), (uchar16)((uchar)v), (double2)(v, 0.1));
    out[i] = printf("%d %v3hli|%-5v2hd|\n", i, (int3)(v, v + 1, v + 2), (short2)((short)v, 9));
}

kernel void flow(global const int *in, global int *out)
{
    int i = ITEM, v = in[i];
    out[i] = 0;
    if (v % 3 == 0) {
        printf("%d three\n", i);
        for (int k = 0; k < v; k++) {
            if (k == 4) {
                break;
            }
            printf("%d turn %d\n", i, k);
        }
    } else if (v & 1) {
        printf("%d odd %d\n", i, v);
    } else if (v < 0) {
        return;
    }
    int k = 0;
    do {
        printf("%d again %d\n", i, k++);
    } while (k < (v & 3));
    printf("%d end\n", i);
}

kernel void barriers(global const int *in, global int *out)
{
    local int shared[256];
    int i = ITEM, lid = (int)get_local_id(0), size = (int)get_local_size(0), sum = 0;
    shared[lid] = in[i];
    printf("%d before\n", i);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int round = 0; round < 3; round++) {
        int other = shared[(lid + round) % size];
        sum += printf("%d round %d %d\n", i, round, other);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = sum;
    printf("%d after\n", i);
}

__attribute__((noinline)) void inner(constant char *format, int i, int v)
{
    if (v & 1) {
        printf(format, i, v);
    }
}

__attribute__((noinline)) int outer(int i, int v, constant char *word)
{
    int result = printf("%d outer %s\n", i, word);
    inner("%d inner %d\n", i, v);
    return result;
}

kernel void calls(global const int *in, global int *out)
{
    int i = ITEM, v = in[i], sum = 0;
    for (int k = 0; k < (i & 3); k++) {
        sum += outer(i, v + k, v > 5 ? "large" : "small");
    }
    out[i] = sum;
    printf("%d back\n", i);
}

kernel void ids(global const int *in, global int *out)
{
    int x = (int)get_global_id(0), y = (int)get_global_id(1), z = (int)get_global_id(2);
    int i = (z * (int)get_global_size(1) + y) * (int)get_global_size(0) + x;
    printf("%d is %d %d %d, in its group %d %d %d\n", i, x, y, z, (int)get_local_id(0),
           (int)get_local_id(1), (int)get_local_id(2));
    out[i] = 0;
}

kernel void choices(global const int *in, global int *out)
{
    int i = ITEM, v = in[i];
    out[i] = printf(v > 3 ? "%d is large\n" : "%d is small\n", i);
}

kernel void uniform(global const int *in, global int *out)
{
    int i = ITEM;
    out[i] = printf("%s %v2hld\n", "0 everybody", (int2)(1, 2));
}

kernel void wide(global const int *in, global int *out)
{
    int i = ITEM;
    out[i] = printf("%d %5000d %-3000s|%.200f\n", i, i, "word", 1.0 / 3);
}

kernel void many(global const int *in, global int *out)
{
    int i = ITEM;
    out[i] = 0;
    for (int k = 0; k < 300; k++) {
        out[i] |= printf("%d line %d of very many, with some words to make it long\n", i, k);
    }
}

// Strings that are none, and directives that print nothing.
kernel void strings(global const int *in, global int *out)
{
    int i = ITEM, v = in[i];
    printf("%d [%s] [%9s]\n", i, (constant char *)0, (constant char *)0);
    out[i] = printf("%d [%s] [%.3s]\n", i, (constant char *)(ulong)(v > 0 ? 16 : 0),
                    (constant char *)16);
}

kernel void misfits(global const int *in, global int *out)
{
    int i = ITEM, v = in[i];
    int sum = printf("%d %d %s\n", i, 1.5);
    sum += printf("%d %n %k %*d\n", i, i, i);
    sum += printf("%d %v4hld %5.\n", i, (int2)(1, 2));
    sum += printf("%d %99999999999d\n", i, i);
    sum += printf("%d %.2000000f\n", i, 1.0);
    sum += printf((constant char *)((ulong)v * v), i); // below 1,000: nothing can be there
    out[i] = sum;
}
