// What no compiler would let pass: built without warnings, and run for nothing but not to crash.
constant char open[6] = {'0', ' ', 'x', '%', 'd', '%'};

kernel void unterminated(global const int *in, global int *out)
{
    int i = (int)get_global_id(0);
    printf(open, i);
    printf("0 %s\n", open);
    out[i] = 0;
}

kernel void foreign(global const int *in, global int *out)
{
    int i = (int)get_global_id(0);
    printf((constant char *)(ulong)in, i, i, i, i);
    printf("0 %s\n", (constant char *)(ulong)out);
    printf((constant char *)(ulong)((ulong)in[i] * 0x123456789abcdeful), i);
    out[i] = 0;
}
