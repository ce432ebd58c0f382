/* Memory objects: buffers, sub-buffers and images. */
#ifndef GEO_OPENCL_MEMORY_H
#define GEO_OPENCL_MEMORY_H

#include "opencl/context.h"

/* A region that is mapped for the host. */
struct geo_ocl_mapping {
    struct geo_ocl_mapping *next;
    void *pointer; /* what the application has */
    cl_map_flags flags;
    size_t offset, bytes;        /* of a buffer */
    size_t origin[3], region[3]; /* of an image */
};

struct _cl_mem {
    struct geo_ocl_object base;
    cl_context context; /* held */
    cl_mem_object_type type;
    cl_mem_flags flags;
    cl_mem_properties *properties; /* as the application gave them, with the zero; or NULL */
    size_t property_count;
    size_t bytes;
    void *host_pointer; /* as the application gave it, with CL_MEM_USE_HOST_PTR */
    /* Buffers: what kernels use. It is shared memory, or memory of the host, so that the host can
     * use it too, or a part of the parent's or of the application's. */
    char *pointer;
    bool owns_pointer;
    /* Where the host sees the content of mappings: `pointer`, or host_pointer if devices cannot
     * use that. Then mapping and unmapping copy. Images: see image.c. */
    char *host;
    cl_mem parent; /* held: of a sub-buffer, or the buffer of an image */
    size_t offset; /* in the parent */
    /* Images: */
    cl_image_format format;
    cl_image_desc desc;
    size_t element_bytes;
    size_t host_row, host_slice; /* pitches at `host` */
    ze_image_handle_t image;
    pthread_mutex_t lock; /* protects what follows */
    struct geo_ocl_mapping *mappings;
    cl_uint map_count;
    struct geo_ocl_destructor *destructors;
};

bool geo_ocl_memory_is(cl_mem memory);
bool geo_ocl_memory_is_buffer(cl_mem memory);
/* Creates a memory object without content. Returns NULL if memory ran out. */
cl_mem geo_ocl_memory_create(cl_context context, cl_mem_object_type type, cl_mem_flags flags);
/* Checks flags of new objects, and completes them with defaults. `parent` is NULL or the object
 * that the new one is a part of. */
cl_int geo_ocl_memory_flags(cl_mem_flags *flags, const void *host_pointer,
                            const struct _cl_mem *parent);
/* Checks flags of a mapping: against each other, and against what the host may do. */
cl_int geo_ocl_memory_map_check(const struct _cl_mem *memory, cl_map_flags flags);
/* Copies the application's list of properties. */
cl_int geo_ocl_memory_properties(cl_mem memory, const cl_mem_properties *properties);
/* Allocates `pointer` and `host` for `bytes`, and copies the content at `host_pointer` if the flags
 * say so. */
cl_int geo_ocl_memory_allocate(cl_mem memory, void *host_pointer);
/* Records a mapping. Takes ownership of it. */
void geo_ocl_memory_map(cl_mem memory, struct geo_ocl_mapping *mapping);
/* Removes the newest mapping with this address. Returns NULL if the address is not mapped. */
struct geo_ocl_mapping *geo_ocl_memory_unmap(cl_mem memory, const void *pointer);

#endif
