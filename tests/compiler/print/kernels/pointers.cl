// Functions that are called through pointers print.
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

typedef int (*speaker)(int item, int value);

__attribute__((noinline)) int quiet(int item, int value)
{
    return item + value;
}

__attribute__((noinline)) int loud(int item, int value)
{
    return printf("%d loud %d\n", item, value);
}

__attribute__((noinline)) int twice(int item, int value)
{
    return printf("%d first\n", item) + printf("%d second %d\n", item, value);
}

kernel void pointers(global const int *in, global int *out)
{
    int i = (int)get_global_id(0), v = in[i];
    speaker speak = quiet;
    if (v & 1) {
        speak = loud;
    } else if (v & 2) {
        speak = twice;
    }
    out[i] = speak(i, v);
    if (v > 5) {
        printf("%d large\n", i);
    }
}
