// As DPC++'s libraries leave it: strings in global memory, generic pointers.
global char expression[] = "in[i] < 7";
global char file[] = "assertion.cl";
global char function[] = "asserting";

void __devicelib_assert_fail(const char *expression, const char *file, int line,
                             const char *function, ulong global_x, ulong global_y, ulong global_z,
                             ulong local_x, ulong local_y, ulong local_z);
void __assert_fail(const char *expression, const char *file, uint line, const char *function);

kernel void asserting(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    printf("%d checks\n", (int)i);
    if (in[i] >= 7) {
        __devicelib_assert_fail(expression, file, 42, function, i, get_global_id(1),
                                get_global_id(2), get_local_id(0), get_local_id(1),
                                get_local_id(2));
    }
    out[i] = 0;
}

kernel void asserting_plainly(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    if (in[i] >= 7) {
        __assert_fail(expression, file, 43, 0);
    }
    out[i] = 0;
}

kernel void asserting_nothing(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    if (in[i] > 1000) {
        __assert_fail(expression, file, 44, function);
    }
    out[i] = 0;
}
