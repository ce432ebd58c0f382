/* A module of more than 100 kB, for the time to build it. */
#include "../kernels.cl"
#include "bytes.cl"
#include "groups.cl"
#include "numbers.cl"
