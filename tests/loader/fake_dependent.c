/* A library that uses the loader but is no driver: dlsym finds the loader's functions through it.
 */
#include <level_zero/ze_api.h>

__attribute__((visibility("default"))) ze_result_t fake_dependent(void);

ze_result_t fake_dependent(void)
{
    return zeInit(0);
}
