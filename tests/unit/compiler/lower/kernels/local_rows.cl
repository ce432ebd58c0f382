/* Stores to local memory under a mask. Lanes that are off reach before the first array, which is at
 * the start of local memory, and behind the last one. */

kernel void rows(local int *first, local long *filler, local uchar *bytes, local ushort *last,
                 global int *out, int begin, int end)
{
    int lid = (int)get_local_id(0), size = (int)get_local_size(0);
    first[lid] = lid;
    bytes[lid] = (uchar)(3 * lid);
    last[lid] = (ushort)(1000 + lid);
    filler[lid] = lid;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid >= begin && lid < end) {
        first[lid - begin] = 100 + lid;
        bytes[lid - begin + 1] = (uchar)(lid + 50);
    }
    if (lid < end) {
        last[lid + size - end] = (ushort)(2000 + lid);
        filler[lid + size - end] = -lid;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid != begin) {
        out[lid] = first[lid] + 7 * bytes[lid] + 5 * last[lid] + 3 * (int)filler[lid];
    }
}
