/* Lanes that touch what lies side by side in an order of their own, or a few elements apart. Arrays
 * are as long as what n items touch of them, n a multiple of 4. */

/* n, n / 4, 2 * n and n elements; of `late` n from the sixth on. */
kernel void reads(global const int *crossed, global const int *quarters, global const int *apart,
                  global const int2 *pairs, global const long *late, global int *out)
{
    uint l = (uint)get_local_id(0);
    int2 pair = pairs[l ^ 1];
    out[l] = crossed[l ^ 3] + 3 * quarters[l >> 2] + 5 * apart[2 * l + (l >> 1 & 1)] + 7 * pair.x -
             pair.y + (int)late[(size_t)(l ^ 2) + 5];
}

/* n elements each, but for 2 * n - 1 of `twice`; of `late` n from the sixth on. */
kernel void writes(global const int *in, global int *crossed, global int *twice, global int2 *pairs,
                   global int *some, global long *late)
{
    uint l = (uint)get_local_id(0);
    int value = in[l];
    crossed[l ^ 3] = value;
    twice[2 * l ^ 2] = value;
    pairs[l ^ 1] = (int2)(value, 3 * value);
    if (value & 1) {
        some[l ^ 1] = value;
    }
    late[(size_t)(l ^ 2) + 5] = value;
}

/* n, 3 * n and 2 * n - 1 elements: the third byte of each three and every other short stay. */
kernel void narrow(global const uchar *in, global uchar *threes, global ushort *twice)
{
    uint l = (uint)get_local_id(0);
    uchar value = in[l];
    threes[3 * l] = value;
    twice[2 * l] = value * 3;
    if (value & 1) {
        threes[3 * l + 1] = value + 1;
    }
}

/* n and 3 * n elements. */
kernel void pixels(global const uchar *in, global uchar *threes)
{
    uint l = (uint)get_local_id(0);
    uchar value = in[l];
    threes[3 * (size_t)l] = value;
    threes[3 * (size_t)l + 1] = value + 1;
    threes[3 * (size_t)l + 2] = value ^ 2;
}
