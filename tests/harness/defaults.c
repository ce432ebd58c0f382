/* What programs of tests start with, by ctest or by hand. They build what they build: what an
 * earlier run left in the user's cache of built modules says nothing about today's compiler, and a
 * generator's kernels would fill it. Who tests the cache names a size. And they find no manifests
 * of drivers that somebody has installed: the folder has none. Part of every program below tests/
 * and bench/. */
#include <stdlib.h>

__attribute__((constructor)) static void user_ignore(void)
{
    setenv("GEOID_CACHE_SIZE", "off", 0);
    setenv("GEOID_DRIVER_PATH", "/dev", 0);
}
