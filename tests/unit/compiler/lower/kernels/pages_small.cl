/* A variable that is shorter than a row: LLVM takes longer accesses for accesses to other objects.
 */

global uchar few[3] = {1, 2, 3};

kernel void rows(global const uchar *bytes, global int *out, int end)
{
    int i = (int)get_global_id(0), sum = -1;
    if (i < end) {
        few[1] = 9;
        sum = bytes[i];
    }
    out[i] = sum;
}
