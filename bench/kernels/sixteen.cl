/* A module of sixteen kernels, for the time to build it. */
#include "../kernels.cl"
#include "subgroups.cl"
