/* Comparisons of 64-bit numbers that move with the local id, with arguments of any size. */

/* A bit for each comparison, with the moving number at the left and at the right. */
#define BITS(moving, fixed)                                                                        \
    ((uint)((moving) < (fixed)) | (uint)((moving) <= (fixed)) << 1 |                               \
     (uint)((moving) > (fixed)) << 2 | (uint)((moving) >= (fixed)) << 3 |                          \
     (uint)((moving) == (fixed)) << 4 | (uint)((moving) != (fixed)) << 5 |                         \
     (uint)((fixed) < (moving)) << 6 | (uint)((fixed) <= (moving)) << 7 |                          \
     (uint)((fixed) > (moving)) << 8 | (uint)((fixed) >= (moving)) << 9)

#define COMPARES(name, type, moving)                                                               \
    __attribute__((reqd_work_group_size(64, 1, 1))) kernel void name(global uint *out, type fixed) \
    {                                                                                              \
        type lid = (type)get_local_id(0);                                                          \
        out[get_local_id(0)] = BITS(moving, fixed);                                                \
    }

COMPARES(of_ids, ulong, lid)
COMPARES(of_ids_signed, long, lid - 32)
COMPARES(below_the_top, ulong, lid + 0x7fffffff - 64)
COMPARES(at_the_top, ulong, lid + 0x7fffffff - 63)
COMPARES(above_the_bottom, long, lid - 0x7fffffffL)
COMPARES(at_the_bottom, long, lid - 0x80000000L)
COMPARES(far_apart, ulong, lid * 100000000)
COMPARES(below_zero, ulong, lid - 32)
COMPARES(of_two, long, 64 - lid + (fixed & 15))

/* The compiler makes the counter a number of 64 bits. */
kernel void counts(global uint *out, global const uint *in)
{
    uint lid = get_local_id(0), count = 0;
    for (uint i = lid & ~7u; i < lid; i++) {
        count += in[i] < in[lid] ? 1 : 0;
    }
    out[lid] = count;
}
