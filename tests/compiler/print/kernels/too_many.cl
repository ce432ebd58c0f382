// 2,064 values in one call: refused.
#define A  , (double16)(0)
#define A8 A A A A A A A A
kernel void too_many(global const int *in, global int *out)
{
    out[get_global_id(0)] = printf("0\n" A8 A8 A8 A8 A8 A8 A8 A8 A8 A8 A8 A8 A8 A8 A8 A8 A);
}
