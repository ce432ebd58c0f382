/* Kernels that have more code of their own than the functions that they call. */
#define OWN(x)                                                                                     \
    STEPS(x) STEPS(x) STEPS(x) STEPS(x) STEPS(x) STEPS(x) STEPS(x) STEPS(x) STEPS(x) STEPS(x)
#include "deferred_calls.cl"
