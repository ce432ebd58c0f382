/* Answers of clGet...Info. */
#include "opencl/info.h"

#include <string.h>

cl_int geo_ocl_info_bytes(const struct geo_ocl_info *info, const void *bytes, size_t count)
{
    if (info->value && info->size < count) {
        return CL_INVALID_VALUE;
    }
    if (info->value && count) {
        memcpy(info->value, bytes, count);
    }
    if (info->size_ret) {
        *info->size_ret = count;
    }
    return CL_SUCCESS;
}

cl_int geo_ocl_info_text(const struct geo_ocl_info *info, const char *text)
{
    return geo_ocl_info_bytes(info, text ? text : "", text ? strlen(text) + 1 : 1);
}
