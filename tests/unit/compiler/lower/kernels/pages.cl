/* Rows of elements under a mask, of which only those from `first` to `end` exist. */

/* The arrays begin with element `first`. */
kernel void rows(global const uchar *bytes, global const ushort *shorts, global const uint *words,
                 global int *out, int first, int end)
{
    int i = (int)get_global_id(0), sum = -1;
    if (i >= first && i < end) {
        sum = bytes[i - first] + 3 * shorts[i - first] + 5 * (int)words[i - first] +
              7 * bytes[end - 1 - i];
    }
    out[i] = sum;
}
