/* An object of 4 GiB, read across the place where 32-bit indexes wrap. */
kernel void read_around(global const uchar *bytes, global uchar *out, uint first)
{
    uint i = (uint)get_global_id(0);
    out[i] = bytes[(uint)(i + first)];
}
