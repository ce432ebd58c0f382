/* f(x) for the floats whose bits are first, first + step, first + 2 step ... */
#define FUNCTION(name, exact, bound)                                                               \
    __kernel void maths_##name(__global float *out, uint first, uint step)                         \
    {                                                                                              \
        uint id = (uint)get_global_id(0);                                                          \
        out[id] = name(as_float(first + id * step));                                               \
    }
#include "functions.def"
