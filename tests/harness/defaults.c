/* Programs of tests build what they build, started by ctest or by hand: what an earlier run left in
 * the user's cache of built modules says nothing about today's compiler, and a generator's kernels
 * would fill it. Who tests the cache names a size. Part of every program below
 * tests/ and bench/. */
#include <stdlib.h>

__attribute__((constructor)) static void cache_switch_off(void)
{
    setenv("GEOID_CACHE_SIZE", "off", 0);
}
