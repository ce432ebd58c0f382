/* The GPU on the PCI bus. The system lists its BARs (/sys); NVML knows the size of only one.
 *
 * An idle link switches to a lower generation by itself. Fewer lanes than possible are a fault.
 * NVML has a momentary throughput rate, and on newer GPUs counters. Only the counters are
 * reported. */
#include "backend/cuda/sysman/sysman.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FLAG_MEMORY  UINT64_C(0x200)
#define SMALL_WINDOW (UINT64_C(256) << 20) /* size without resizable BAR */

enum { WINDOW_ROM = 6, WINDOW_MEMORY = 1, PATH_BYTES = 600 };

/* ---- speed ---- */

/* Returns the bandwidth in bytes per second, both directions together, or -1 when unknown. */
static int64_t bandwidth_of(int32_t generation, int32_t width)
{
    /* per lane and direction, in kB/s: transfer rate minus encoding overhead */
    static const int64_t lane[] = {0, 250000, 500000, 984615, 1969231, 3938462, 7562500};
    const int32_t count = sizeof(lane) / sizeof(lane[0]);
    return generation > 0 && generation < count && width > 0 ? 2 * lane[generation] * 1000 * width
                                                             : -1;
}

static zes_pci_speed_t speed_of(int generation_code, unsigned generation, int width_code,
                                unsigned width)
{
    zes_pci_speed_t speed = {
        .gen = generation_code == GEO_NVML_SUCCESS ? (int32_t)generation : -1,
        .width = width_code == GEO_NVML_SUCCESS ? (int32_t)width : -1,
    };
    speed.maxBandwidth = bandwidth_of(speed.gen, speed.width);
    return speed;
}

static zes_pci_speed_t speed_now(const struct geo_sysman *sysman, int *code)
{
    unsigned generation = 0, width = 0;
    *code = GEO_NVML(sysman->nvml, DeviceGetCurrPcieLinkGeneration, sysman->device->handle,
                     &generation);
    int width_code =
        GEO_NVML(sysman->nvml, DeviceGetCurrPcieLinkWidth, sysman->device->handle, &width);
    return speed_of(*code, generation, width_code, width);
}

static zes_pci_speed_t speed_most(const struct geo_sysman *sysman)
{
    unsigned generation = 0, width = 0;
    int code =
        GEO_NVML(sysman->nvml, DeviceGetMaxPcieLinkGeneration, sysman->device->handle, &generation);
    int width_code =
        GEO_NVML(sysman->nvml, DeviceGetMaxPcieLinkWidth, sysman->device->handle, &width);
    return speed_of(code, generation, width_code, width);
}

ze_result_t geo_gpu_pci_state(struct geo_sysman *sysman, struct geo_sysman_pci_state *state,
                              struct geo_strbuf *why)
{
    int code;
    const zes_pci_speed_t now = speed_now(sysman, &code);
    const int32_t most = sysman->pci.maxSpeed.width;
    const bool narrow = now.width > 0 && most > 0 && now.width < most;
    state->link.speed = now;
    state->link.status = narrow ? ZES_PCI_LINK_STATUS_QUALITY_ISSUES : ZES_PCI_LINK_STATUS_GOOD;
    state->link.qualityIssues = narrow ? ZES_PCI_LINK_QUAL_ISSUE_FLAG_SPEED : 0;
    state->link.stabilityIssues = 0;
    return geo_nvml_answer(sysman->nvml, code, "DeviceGetCurrPcieLinkGeneration", why);
}

/* ---- counters ---- */

static bool bytes_read(const struct geo_sysman *sysman, uint64_t *rx, uint64_t *tx)
{
    return geo_nvml_field_read(sysman->nvml, sysman->device->handle, GEO_NVML_FIELD_PCIE_RX_BYTES,
                               0, rx, NULL) == ZE_RESULT_SUCCESS &&
           geo_nvml_field_read(sysman->nvml, sysman->device->handle, GEO_NVML_FIELD_PCIE_TX_BYTES,
                               0, tx, NULL) == ZE_RESULT_SUCCESS;
}

ze_result_t geo_gpu_pci_stats(struct geo_sysman *sysman, zes_pci_stats_t *stats,
                              struct geo_strbuf *why)
{
    unsigned replays = 0;
    int code;
    if (!sysman->pci.haveBandwidthCounters && !sysman->pci.haveReplayCounters) {
        geo_strbuf_printf(why, "NVML has no counters of this link");
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    if (sysman->pci.haveReplayCounters) {
        ze_result_t result = GEO_NVML_ASK(sysman->nvml, why, DeviceGetPcieReplayCounter,
                                          sysman->device->handle, &replays);
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
    }
    stats->rxCounter = stats->txCounter = stats->packetCounter = 0;
    if (sysman->pci.haveBandwidthCounters) {
        (void)bytes_read(sysman, &stats->rxCounter, &stats->txCounter);
    }
    stats->replayCounter = replays;
    stats->timestamp = geo_backend_clock_us();
    stats->speed = speed_now(sysman, &code);
    return ZE_RESULT_SUCCESS;
}

/* ---- BARs ---- */

static void bar_add(struct geo_sysman *sysman, zes_pci_bar_type_t type, uint32_t index,
                    uint64_t base, uint64_t size)
{
    zes_pci_bar_properties_1_2_t *bar = &sysman->bars[sysman->description.bar_count++];
    bar->type = type;
    bar->index = index;
    bar->base = base;
    bar->size = size;
}

/* Parses a line of the file, which describes a BAR: first and last address, flags. */
static void window_parse(struct geo_sysman *sysman, uint32_t index, const char *line)
{
    uint64_t first, last, flags;
    if (sscanf(line, "0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64, &first, &last, &flags) == 3 &&
        last > first && (flags & FLAG_MEMORY)) {
        bar_add(sysman, index == WINDOW_ROM ? ZES_PCI_BAR_TYPE_ROM : ZES_PCI_BAR_TYPE_MMIO, index,
                first, last - first + 1);
    }
}

static void window_path(const struct geo_sysman *sysman, const char *root, const char *name,
                        char path[PATH_BYTES])
{
    const geo_nvml_pci *pci = &sysman->device->pci;
    int length =
        snprintf(path, PATH_BYTES, "%s/sys/bus/pci/devices/%04x:%02x:%02x.%x/%s", root, pci->domain,
                 pci->bus, pci->device, geo_nvml_device_pci_function(pci), name);
    if (length < 0 || length >= PATH_BYTES) {
        path[0] = '\0'; /* an empty path names no file */
    }
}

/* Reads the BARs from sysfs. The file has some hundred bytes. */
static void windows_read(struct geo_sysman *sysman, const char *root)
{
    char path[PATH_BYTES], text[1024];
    window_path(sysman, root, "resource", path);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t length = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    text[length > 0 ? length : 0] = '\0';
    const char *line = text;
    for (uint32_t i = 0; line && i < GEO_GPU_BARS; i++) {
        window_parse(sysman, i, line);
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
}

/* Marks the largest BAR as that of the GPU's memory. The others are registers. */
static void memory_window_mark(struct geo_sysman *sysman, const char *root)
{
    zes_pci_bar_properties_1_2_t *largest = &sysman->bars[0];
    char path[PATH_BYTES], name[32];
    for (uint32_t i = 1; i < sysman->description.bar_count; i++) {
        largest = sysman->bars[i].size > largest->size ? &sysman->bars[i] : largest;
    }
    snprintf(name, sizeof(name), "resource%u_resize", largest->index);
    window_path(sysman, root, name, path);
    largest->type = ZES_PCI_BAR_TYPE_MEM;
    largest->resizableBarSupported = access(path, F_OK) == 0;
    largest->resizableBarEnabled = largest->resizableBarSupported && largest->size > SMALL_WINDOW;
}

static void windows_describe(struct geo_sysman *sysman, const char *root)
{
    geo_nvml_bar1 memory = {0};
    windows_read(sysman, root);
    if (sysman->description.bar_count == 0 &&
        GEO_NVML(sysman->nvml, DeviceGetBAR1MemoryInfo, sysman->device->handle, &memory) ==
            GEO_NVML_SUCCESS &&
        memory.total > 0) { /* the address is unknown */
        bar_add(sysman, ZES_PCI_BAR_TYPE_MEM, WINDOW_MEMORY, 0, memory.total);
    }
    if (sysman->description.bar_count > 0) {
        memory_window_mark(sysman, root);
    }
    sysman->description.bars = sysman->bars;
}

/* ---- description ---- */

void geo_gpu_pci_describe(struct geo_sysman *sysman, const char *root)
{
    const geo_nvml_pci *pci = &sysman->device->pci;
    unsigned replays, generation = 0;
    uint64_t rx, tx;
    if (!sysman->device->on_bus) {
        return;
    }
    sysman->pci.address = (zes_pci_address_t){.domain = pci->domain,
                                              .bus = pci->bus,
                                              .device = pci->device,
                                              .function = geo_nvml_device_pci_function(pci)};
    sysman->pci.maxSpeed = speed_most(sysman);
    sysman->pci.haveBandwidthCounters = bytes_read(sysman, &rx, &tx);
    sysman->pci.haveReplayCounters = geo_gpu_has(
        GEO_NVML(sysman->nvml, DeviceGetPcieReplayCounter, sysman->device->handle, &replays));
    sysman->description.pci = &sysman->pci;
    sysman->description.pci_max_generation =
        GEO_NVML(sysman->nvml, DeviceGetGpuMaxPcieLinkGeneration, sysman->device->handle,
                 &generation) == GEO_NVML_SUCCESS
            ? (int32_t)generation
            : sysman->pci.maxSpeed.gen;
    windows_describe(sysman, root);
}
