/* Loads from tables of bytes at indexes of known ranges. */

constant uchar sixteen[16] = {3,   9,   27,  81,  243, 217, 139, 161,
                              227, 169, 251, 241, 211, 121, 107, 65};
constant char short_one[10] = {-5, 4, -3, 2, -1, 0, 1, -2, 3, -4};

kernel void tables(global const uchar *in, global const uchar *t64, constant char *t128,
                   global const uchar *t256, global int *out, int count)
{
    local uchar squares[32];
    int i = (int)get_global_id(0), lid = (int)get_local_id(0);
    if (lid < 32) {
        squares[lid] = (uchar)(lid * lid);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < count) {
        uchar x = in[i], y = (uchar)(x * 7 + 3);
        int sum = t64[x & 63] + 3 * t128[x >> 1] + 5 * t256[x];
        sum += 7 * sixteen[y >> 4] + 11 * squares[(y & 24) | (x >> 5)];
        out[i] = sum + 13 * short_one[y % 10] + 17 * t64[(x & 48) | (y >> 4)];
    } else {
        out[i] = -1;
    }
}

/* The table changes between two loads. */
kernel void table_written(global const uchar *in, global uchar *table, global int *out)
{
    int i = (int)get_local_id(0);
    uchar x = in[i] & 63;
    int first = table[x];
    barrier(CLK_GLOBAL_MEM_FENCE);
    table[i & 63] = (uchar)(first + i);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = first + 256 * table[x];
}

/* These tables are too long, or lanes have tables of their own. */
kernel void no_tables(global const ushort *in, global const uchar *table, global int *out)
{
    int i = (int)get_global_id(0);
    ushort x = in[i];
    out[i] = table[x & 511] + 3 * table[(x & 15) + (i & 1) * 1024] + 5 * table[x % 100 + 400] +
             7 * short_one[x % 10];
}

/* The index is 0 in all lanes, which is found only when the address is computed. */
kernel void table_of_one(global const uchar *table, global int *out)
{
    uint lane = get_sub_group_local_id();
    out[get_global_id(0)] = table[((lane & 0xfffffffcu) * 4u) & 15u];
}
