/* Answers of clGet...Info. */
#ifndef GEO_OPENCL_INFO_H
#define GEO_OPENCL_INFO_H

#include "opencl/object.h"

/* Where an application wants an answer. */
struct geo_ocl_info {
    size_t size;      /* bytes at `value` */
    void *value;      /* NULL: only the size is wanted */
    size_t *size_ret; /* may be NULL */
};

/* Writes `count` bytes. Returns CL_INVALID_VALUE if they do not fit. */
cl_int geo_ocl_info_bytes(const struct geo_ocl_info *info, const void *bytes, size_t count);
/* Writes a text with its terminating zero; NULL counts as "". */
cl_int geo_ocl_info_text(const struct geo_ocl_info *info, const char *text);

/* Writes one value of a type. */
#define geo_ocl_info_value(info, type, ...)                                                        \
    geo_ocl_info_bytes(info, &(type){__VA_ARGS__}, sizeof(type))

#endif
