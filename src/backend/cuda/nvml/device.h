/* The backend's GPUs, for the folders nvml, sysman and compute. */
#ifndef GEO_BACKEND_CUDA_NVML_DEVICE_H
#define GEO_BACKEND_CUDA_NVML_DEVICE_H

#include "backend/backend.h"
#include "backend/cuda/nvml/library.h"

#define GEO_CUDA_NAME_BYTES 96u

struct geo_cuda;           /* cuda/driver/library.h */
struct geo_compute_device; /* cuda/compute/device.h */

struct geo_backend_device {
    const struct geo_nvml *nvml; /* NULL: NVML is missing, or does not list the GPU */
    /* how CUDA computes with it, owned; NULL: it is only managed */
    struct geo_compute_device *compute;
    /* MIG device: its own handle. Fetched again in a child of fork. */
    geo_nvml_device handle;
    geo_nvml_pci pci;    /* MIG device: address of its GPU */
    bool on_bus;         /* `pci` is valid */
    uint32_t index;      /* index of the GPU in NVML's order */
    uint32_t part_count; /* number of sub-devices, which follow in the backend's array */
    bool is_mig;         /* a MIG device of that GPU */
    uint32_t mig;        /* MIG device: index among the GPU's MIG devices */
    char name[GEO_CUDA_NAME_BYTES];
    struct geo_device_info info;
};

struct geo_backend {
    struct geo_nvml nvml;
    struct geo_cuda *cuda;              /* owned; NULL: the devices are only managed */
    struct geo_backend_device *devices; /* each GPU precedes its sub-devices */
    uint32_t count;
};

/* Returns the function number of the PCI address, which NVML provides only as text. */
uint32_t geo_nvml_device_pci_function(const geo_nvml_pci *pci);

/* Returns total and free memory in bytes, both without the memory that the driver reserves. */
ze_result_t geo_nvml_device_memory(const struct geo_backend_device *device, uint64_t *total,
                                   uint64_t *unused, struct geo_strbuf *why);

#endif
