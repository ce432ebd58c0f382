/* Lists the GPUs that compute. See list.h. */
#include "backend/cuda/compute/list.h"

#include "backend/cuda/compute/device.h"
#include "backend/cuda/compute/properties.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

/* The compiler's PTX has version 7.8. */
#define VERSION_LEAST 11080
#define WHY_BYTES     400u

enum { MOST_GPUS = 4096 };

struct listing {
    struct geo_backend_device *devices;
    uint32_t count;
};

static void listing_finish(struct listing *listing)
{
    for (uint32_t i = 0; i < listing->count; i++) {
        geo_compute_device_destroy(listing->devices[i].compute);
    }
    free(listing->devices);
}

/* Returns NVML's entry of a GPU or MIG device, or NULL. */
static const struct geo_backend_device *managed_find(const struct geo_backend *backend,
                                                     const uint8_t uuid[ZE_MAX_DEVICE_UUID_SIZE])
{
    for (uint32_t i = 0; i < backend->count; i++) {
        if (memcmp(backend->devices[i].info.uuid, uuid, ZE_MAX_DEVICE_UUID_SIZE) == 0) {
            return &backend->devices[i];
        }
    }
    return NULL;
}

/* Takes what NVML knows of the device. The sub-devices of a GPU that CUDA shows as a whole, and the
 * GPU of a MIG device, are not listed. */
static void managed_take(const struct geo_backend *backend, struct geo_backend_device *device)
{
    geo_cuda_uuid uuid = {{0}};
    (void)GEO_CUDA(device->compute->cuda, DeviceGetUuid, &uuid, device->compute->ordinal);
    const struct geo_backend_device *managed = managed_find(backend, uuid.bytes);
    if (managed) {
        struct geo_compute_device *compute = device->compute;
        *device = *managed;
        device->compute = compute;
        device->part_count = 0;
    }
}

/* Adds a GPU if it can compute. Returns OUT_OF_HOST_MEMORY, or SUCCESS. */
static ze_result_t gpu_add(const struct geo_backend *backend, int ordinal, struct listing *listing,
                           struct geo_strbuf *why)
{
    geo_cuda_device number = 0;
    struct geo_backend_device *device = &listing->devices[listing->count];
    ze_result_t result = GEO_CUDA_ASK(backend->cuda, why, DeviceGet, &number, ordinal);
    if (result == ZE_RESULT_SUCCESS) {
        device->compute = geo_compute_device_create(backend->cuda, number);
        if (!device->compute) {
            return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        }
        managed_take(backend, device);
        result = geo_compute_properties_fill(device, why);
    }
    if (result == ZE_RESULT_SUCCESS) {
        listing->count++;
        return result;
    }
    geo_log("cuda", GEO_LOG_INFO, "GPU %d is left out: %s", ordinal, geo_strbuf_text(why));
    geo_compute_device_destroy(device->compute);
    memset(device, 0, sizeof(*device));
    return ZE_RESULT_SUCCESS;
}

static int place_compare(const void *left, const void *right)
{
    const struct geo_pci_place *a = &((const struct geo_backend_device *)left)->info.pci;
    const struct geo_pci_place *b = &((const struct geo_backend_device *)right)->info.pci;
    const uint32_t first[] = {a->domain, a->bus, a->device},
                   second[] = {b->domain, b->bus, b->device};
    for (int i = 0; i < 3; i++) {
        if (first[i] != second[i]) {
            return first[i] < second[i] ? -1 : 1;
        }
    }
    return 0;
}

static ze_result_t listing_fill(const struct geo_backend *backend, struct listing *listing,
                                struct geo_strbuf *why)
{
    int count = 0;
    ze_result_t result = GEO_CUDA_ASK(backend->cuda, why, DeviceGetCount, &count);
    count = count < 0 ? 0 : count > MOST_GPUS ? MOST_GPUS : count;
    listing->devices = calloc((size_t)count + 1, sizeof(listing->devices[0]));
    if (result == ZE_RESULT_SUCCESS && !listing->devices) {
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (int i = 0; result == ZE_RESULT_SUCCESS && i < count; i++) {
        struct geo_strbuf reason;
        geo_strbuf_init(&reason, WHY_BYTES);
        result = gpu_add(backend, i, listing, &reason);
        if (listing->count == 0 && !geo_strbuf_text(why)[0]) {
            geo_strbuf_printf(why, "%s", geo_strbuf_text(&reason));
        }
        geo_strbuf_finish(&reason);
    }
    if (result == ZE_RESULT_SUCCESS && listing->count == 0) {
        result = ZE_RESULT_ERROR_UNINITIALIZED;
    }
    return result;
}

/* Sets pointers into the devices, after they have their final places. */
static void listing_point(struct listing *listing)
{
    qsort(listing->devices, listing->count, sizeof(listing->devices[0]), place_compare);
    for (uint32_t i = 0; i < listing->count; i++) {
        listing->devices[i].info.name = listing->devices[i].name;
    }
}

static ze_result_t version_check(const struct geo_cuda *cuda, struct geo_strbuf *why)
{
    if (cuda->version >= VERSION_LEAST) {
        return ZE_RESULT_SUCCESS;
    }
    geo_strbuf_printf(why,
                      "NVIDIA's driver is too old: it supports CUDA %d.%d, and Geoid needs %d.%d",
                      cuda->version / 1000, cuda->version % 1000 / 10, VERSION_LEAST / 1000,
                      VERSION_LEAST % 1000 / 10);
    return ZE_RESULT_ERROR_UNINITIALIZED;
}

static void cuda_close(struct geo_backend *backend)
{
    if (backend->cuda) {
        geo_cuda_close(backend->cuda);
        free(backend->cuda);
        backend->cuda = NULL;
    }
}

ze_result_t geo_compute_list_open(struct geo_backend *backend, struct geo_strbuf *why)
{
    struct listing listing = {0};
    backend->cuda = calloc(1, sizeof(*backend->cuda));
    if (!backend->cuda) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    ze_result_t result = geo_cuda_open(backend->cuda, why);
    if (result == ZE_RESULT_SUCCESS) {
        result = version_check(backend->cuda, why);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = listing_fill(backend, &listing, why);
    }
    if (result != ZE_RESULT_SUCCESS) {
        listing_finish(&listing);
        cuda_close(backend);
        return result;
    }
    listing_point(&listing);
    free(backend->devices);
    backend->devices = listing.devices;
    backend->count = listing.count;
    return ZE_RESULT_SUCCESS;
}

void geo_compute_list_close(struct geo_backend *backend)
{
    for (uint32_t i = 0; backend->cuda && i < backend->count; i++) {
        geo_compute_device_destroy(backend->devices[i].compute);
        backend->devices[i].compute = NULL;
    }
    cuda_close(backend);
}
