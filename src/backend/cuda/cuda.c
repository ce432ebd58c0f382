/* The backend of NVIDIA GPUs: finds the devices. See cuda.h. */
#include "backend/cuda/cuda.h"

#include "backend/cuda/compute/event.h"
#include "backend/cuda/compute/list.h"
#include "backend/cuda/compute/memory.h"
#include "backend/cuda/compute/program.h"
#include "backend/cuda/compute/stream.h"
#include "backend/cuda/nvml/device.h"
#include "backend/cuda/sysman/sysman.h"
#include "base/option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VENDOR_NVIDIA 0x10deu
#define LANES         32u /* threads of a warp */
#define DRIVER_UUID   {'G', 'e', 'o', 'i', 'd', ' ', 'c', 'u', 'd', 'a', 0, 0, 0, 0, 0, 1}
#define DRIVER_NUMBER 2u

#define PROBLEM_BYTES 400u

enum { MOST_GPUS = 4096, MOST_PARTS = 64 };

/* ---- one device ---- */

/* Parses a UUID such as "GPU-5d1b..." or "MIG-5d1b...". Its digits are the bytes, as in CUDA. */
static bool uuid_parse(const char *text, uint8_t out[ZE_MAX_DEVICE_UUID_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    const char *at = strchr(text, '-');
    uint32_t count = 0;
    for (; at && *at && count < 2 * ZE_MAX_DEVICE_UUID_SIZE; at++) {
        char digit = *at >= 'A' && *at <= 'F' ? (char)(*at - 'A' + 'a') : *at;
        const char *found = strchr(digits, digit);
        if (found) {
            uint8_t value = (uint8_t)(found - digits);
            out[count / 2] = (uint8_t)(count % 2 ? out[count / 2] | value : value << 4);
            count++;
        } else if (digit != '-') {
            return false;
        }
    }
    return count == 2 * ZE_MAX_DEVICE_UUID_SIZE;
}

/* Returns a maximum clock, or 0 when it is unknown. */
static uint32_t clock_most(const struct geo_backend_device *device, int type)
{
    unsigned mhz = 0;
    return GEO_NVML(device->nvml, DeviceGetMaxClockInfo, device->handle, type, &mhz) ==
                   GEO_NVML_SUCCESS
               ? mhz
               : 0;
}

static uint32_t core_count(const struct geo_backend_device *device)
{
    unsigned cores = 0;
    return GEO_NVML(device->nvml, DeviceGetNumGpuCores, device->handle, &cores) == GEO_NVML_SUCCESS
               ? cores
               : 0;
}

static bool corrects(const struct geo_backend_device *device)
{
    int now = 0, then = 0;
    return GEO_NVML(device->nvml, DeviceGetEccMode, device->handle, &now, &then) ==
               GEO_NVML_SUCCESS &&
           now != 0;
}

/* Fills the description. Values that NVML does not report (threads per unit, caches, kernel limits)
 * are 0. */
static void info_fill(struct geo_backend_device *device)
{
    struct geo_device_info *info = &device->info;
    uint64_t unused;
    unsigned bits = 0;
    info->name = device->name;
    info->type = ZE_DEVICE_TYPE_GPU;
    info->flags = corrects(device) ? (uint32_t)ZE_DEVICE_PROPERTY_FLAG_ECC : 0;
    info->vendor_id = VENDOR_NVIDIA;
    info->core_clock_mhz = clock_most(device, GEO_NVML_CLOCK_SM);
    info->memory_clock_mhz = clock_most(device, GEO_NVML_CLOCK_MEM);
    info->memory_name = "device memory";
    info->slices = info->subslices_per_slice = 1;
    info->eus_per_subslice = core_count(device) / LANES;
    info->simd_width = LANES;
    (void)geo_nvml_device_memory(device, &info->memory_bytes, &unused, NULL);
    info->max_allocation_bytes = info->memory_bytes;
    if (GEO_NVML(device->nvml, DeviceGetMemoryBusWidth, device->handle, &bits) ==
        GEO_NVML_SUCCESS) {
        info->memory_bus_width = bits;
    }
    if (device->on_bus) {
        info->device_id = device->pci.device_id >> 16;
        info->pci =
            (struct geo_pci_place){true, device->pci.domain, device->pci.bus, device->pci.device,
                                   geo_nvml_device_pci_function(&device->pci)};
    }
}

/* Fills a device. Returns false when it does not report its UUID, for example because it is
 * lost. */
static bool device_fill(struct geo_backend_device *device)
{
    char uuid[96] = "";
    if (GEO_NVML(device->nvml, DeviceGetUUID, device->handle, uuid, sizeof(uuid)) !=
            GEO_NVML_SUCCESS ||
        !uuid_parse(uuid, device->info.uuid)) {
        return false;
    }
    if (GEO_NVML(device->nvml, DeviceGetName, device->handle, device->name,
                 (unsigned)sizeof(device->name)) != GEO_NVML_SUCCESS) {
        strcpy(device->name, "NVIDIA GPU");
    }
    device->name[sizeof(device->name) - 1] = '\0';
    device->on_bus = device->on_bus || GEO_NVML(device->nvml, DeviceGetPciInfo, device->handle,
                                                &device->pci) == GEO_NVML_SUCCESS;
    info_fill(device);
    return true;
}

/* ---- all devices ---- */

static bool device_room(struct geo_backend *backend)
{
    struct geo_backend_device *larger =
        realloc(backend->devices, (backend->count + 1u) * sizeof(backend->devices[0]));
    if (larger) {
        backend->devices = larger;
        memset(&larger[backend->count], 0, sizeof(larger[0]));
    }
    return larger != NULL;
}

/* Adds the MIG devices of a GPU if there are at least two. Returns false when memory ran out. */
static bool parts_add(struct geo_backend *backend, uint32_t root)
{
    const geo_nvml_device handle = backend->devices[root].handle;
    unsigned now = 0, then = 0, most = 0;
    if (GEO_NVML(&backend->nvml, DeviceGetMigMode, handle, &now, &then) != GEO_NVML_SUCCESS ||
        !now ||
        GEO_NVML(&backend->nvml, DeviceGetMaxMigDeviceCount, handle, &most) != GEO_NVML_SUCCESS) {
        return true;
    }
    const uint32_t first = backend->count;
    for (unsigned i = 0; i < most && i < MOST_PARTS; i++) {
        if (!device_room(backend)) {
            return false;
        }
        struct geo_backend_device *part = &backend->devices[backend->count];
        part->nvml = &backend->nvml;
        part->pci = backend->devices[root].pci;
        part->on_bus = backend->devices[root].on_bus;
        part->index = backend->devices[root].index;
        part->is_mig = true;
        part->mig = i;
        backend->count += GEO_NVML(&backend->nvml, DeviceGetMigDeviceHandleByIndex, handle, i,
                                   &part->handle) == GEO_NVML_SUCCESS &&
                          device_fill(part);
    }
    if (backend->count - first < 2) {
        backend->count = first;
    }
    backend->devices[root].part_count = backend->count - first;
    return true;
}

static bool gpu_add(struct geo_backend *backend, unsigned index)
{
    if (!device_room(backend)) {
        return false;
    }
    struct geo_backend_device *device = &backend->devices[backend->count];
    device->nvml = &backend->nvml;
    device->index = index;
    if (GEO_NVML(&backend->nvml, DeviceGetHandleByIndex, index, &device->handle) !=
            GEO_NVML_SUCCESS ||
        !device_fill(device)) {
        return true; /* other users have exclusive access to it, or it is lost */
    }
    return parts_add(backend, backend->count++);
}

/* Sets the pointers between devices, after the array has its final address. */
static void devices_point(struct geo_backend *backend)
{
    for (uint32_t i = 0; i < backend->count; i++) {
        struct geo_backend_device *device = &backend->devices[i];
        device->info.name = device->name;
        for (uint32_t k = 1; k <= device->part_count; k++) {
            device[k].info.parent = device;
            device[k].info.flags |= ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE;
        }
    }
}

/* Fetches the device handles again in a child. A device that has disappeared keeps its old handle,
 * for which NVML returns an error. */
static void handles_attach(const struct geo_nvml *nvml, void *data)
{
    struct geo_backend *backend = data;
    for (uint32_t i = 0; i < backend->count; i++) {
        struct geo_backend_device *device = &backend->devices[i];
        geo_nvml_device gpu = NULL;
        if (!device->nvml ||
            nvml->DeviceGetHandleByIndex(device->index, &gpu) != GEO_NVML_SUCCESS) {
            continue;
        }
        if (!device->is_mig) {
            device->handle = gpu;
        } else {
            (void)nvml->DeviceGetMigDeviceHandleByIndex(gpu, device->mig, &device->handle);
        }
    }
}

/* ---- operations ---- */

static void cuda_close(struct geo_backend *backend)
{
    geo_compute_list_close(backend);
    geo_nvml_close(&backend->nvml);
    free(backend->devices);
    free(backend);
}

/* Opens NVML and lists its GPUs. On failure the backend must be closed. */
static ze_result_t managed_open(struct geo_backend *backend)
{
    unsigned count = 0;
    ze_result_t result = geo_nvml_open(&backend->nvml);
    if (result == ZE_RESULT_SUCCESS &&
        GEO_NVML(&backend->nvml, DeviceGetCount, &count) != GEO_NVML_SUCCESS) {
        result = ZE_RESULT_ERROR_UNINITIALIZED;
    }
    for (unsigned i = 0; result == ZE_RESULT_SUCCESS && i < count && i < MOST_GPUS; i++) {
        result = gpu_add(backend, i) ? result : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (result == ZE_RESULT_SUCCESS) {
        devices_point(backend);
        backend->nvml.process->data = backend;
        backend->nvml.process->attach = handles_attach;
        backend->nvml.process->opened = true;
    }
    return result;
}

static ze_result_t cuda_open(struct geo_backend **out)
{
    if (!geo_option_flag("GEOID_NVIDIA")) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    struct geo_backend *backend = calloc(1, sizeof(*backend));
    if (!backend) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    ze_result_t result = managed_open(backend);
    if (result != ZE_RESULT_SUCCESS) {
        cuda_close(backend);
        return result;
    }
    *out = backend;
    return ZE_RESULT_SUCCESS;
}

static uint32_t cuda_device_count(struct geo_backend *backend)
{
    return backend->count;
}

static struct geo_backend_device *cuda_device(struct geo_backend *backend, uint32_t index)
{
    return &backend->devices[index];
}

static const struct geo_device_info *cuda_device_info(struct geo_backend_device *device)
{
    return &device->info;
}

/* ---- operations of the backend that computes ---- */

static char compute_problem[PROBLEM_BYTES];

/* Without NVML, GPUs compute and are not managed. */
static ze_result_t compute_open(struct geo_backend **out)
{
    struct geo_strbuf why;
    if (!geo_option_flag("GEOID_NVIDIA")) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    struct geo_backend *backend = calloc(1, sizeof(*backend));
    if (!backend) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    ze_result_t result = managed_open(backend);
    if (result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY) {
        cuda_close(backend);
        return result;
    }
    geo_strbuf_init(&why, sizeof(compute_problem));
    result = geo_compute_list_open(backend, &why);
    snprintf(compute_problem, sizeof(compute_problem), "%s",
             result == ZE_RESULT_SUCCESS ? "" : geo_strbuf_text(&why));
    geo_strbuf_finish(&why);
    if (result != ZE_RESULT_SUCCESS) {
        cuda_close(backend);
        return result;
    }
    *out = backend;
    return ZE_RESULT_SUCCESS;
}

static const char *compute_why_not(void)
{
    return compute_problem[0] ? compute_problem : NULL;
}

static ze_result_t sysman_open(struct geo_backend_device *device, const char *root,
                               struct geo_sysman **out)
{
    return device->nvml ? geo_cuda_sysman_open(device, root, out)
                        : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

/* ---- tables ---- */

static const struct geo_sysman_ops sysman_ops = {
    .open = sysman_open,
    .close = geo_cuda_sysman_close,
    .device = geo_cuda_sysman_device,
    .components = geo_cuda_sysman_components,
};

const struct geo_backend_ops geo_backend_cuda_ops = {
    .name = "cuda",
    .driver_uuid = DRIVER_UUID,
    .driver_version = GEO_DRIVER_VERSION(DRIVER_NUMBER),
    .open = cuda_open,
    .close = cuda_close,
    .device_count = cuda_device_count,
    .device = cuda_device,
    .device_info = cuda_device_info,
    .sysman = &sysman_ops,
};

const struct geo_backend_ops geo_backend_cuda_compute_ops = {
    .name = "cuda",
    .driver_uuid = DRIVER_UUID,
    .driver_version = GEO_DRIVER_VERSION(DRIVER_NUMBER),
    .open = compute_open,
    .close = cuda_close,
    .device_count = cuda_device_count,
    .device = cuda_device,
    .device_info = cuda_device_info,
    .problem = compute_why_not,
    .memory = &geo_compute_memory_ops,
    .stream = &geo_compute_stream_ops,
    .event = &geo_compute_event_ops,
    .program = &geo_compute_program_ops,
    .sysman = &sysman_ops,
};
