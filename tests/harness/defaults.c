/* Environment defaults of test programs, for runs by ctest and by hand. Part of every program below
 * tests/ and bench/.
 * - The cache of built modules is off: tests must run the current compiler, and random kernels
 *   would fill the user's cache. Tests of the cache set a size.
 * - Manifests of installed drivers are not found: /dev contains none. */
#include <stdlib.h>

__attribute__((constructor)) static void user_ignore(void)
{
    setenv("GEOID_CACHE_SIZE", "off", 0);
    setenv("GEOID_DRIVER_PATH", "/dev", 0);
}
