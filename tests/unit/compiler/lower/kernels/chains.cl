/* Chains of conditionals, each of which adds to one number. */
#define STEP(bit)                                                                                  \
    if (s & (1 << bit)) {                                                                          \
        s += in[s & 63];                                                                           \
    }
#define STEPS STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)

kernel void eight(global const int *in, global int *out)
{
    int s = in[get_global_id(0) & 63];
    STEPS
    out[get_global_id(0)] = s;
}

kernel void sixteen(global const int *in, global int *out)
{
    int s = in[get_global_id(0) & 63];
    STEPS STEPS out[get_global_id(0)] = s;
}

/* The number before the conditional is read behind it. */
kernel void both(global const int *in, global int *out)
{
    int s = in[get_global_id(0) & 63];
    STEP(0)
    int before = s;
    STEP(1)
    out[get_global_id(0)] = s * 3 + before;
}
