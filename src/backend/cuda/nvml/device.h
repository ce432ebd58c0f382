/* GPUs as the backend knows them, for the folders below it. */
#ifndef GEO_BACKEND_CUDA_NVML_DEVICE_H
#define GEO_BACKEND_CUDA_NVML_DEVICE_H

#include "backend/backend.h"
#include "backend/cuda/nvml/library.h"

#define GEO_CUDA_NAME_BYTES 96u

struct geo_backend_device {
    const struct geo_nvml *nvml;
    geo_nvml_device handle; /* of a part: of the MIG device; a child's is asked for anew */
    geo_nvml_pci pci;       /* of a part: the GPU's */
    bool on_bus;            /* `pci` is known */
    uint32_t index;         /* of the GPU in NVML's order */
    uint32_t part_count;    /* behind it in the backend's array */
    uint32_t mig;           /* of a part: which of the GPU's MIG devices it is */
    char name[GEO_CUDA_NAME_BYTES];
    struct geo_device_info info;
};

struct geo_backend {
    struct geo_nvml nvml;
    struct geo_backend_device *devices; /* each GPU before its parts */
    uint32_t count;
};

/* The function of its address on the bus, which NVML has in a text only. */
uint32_t geo_cuda_pci_function(const geo_nvml_pci *pci);

/* Bytes of all memory, and free; of what the driver takes for itself neither. */
ze_result_t geo_cuda_memory(const struct geo_backend_device *device, uint64_t *total,
                            uint64_t *unused, struct geo_strbuf *why);

#endif
