/* The used part of NVML, NVIDIA's library for managing GPUs: types, constants and functions of its
 * ABI (since driver 450). The library is opened at run time and never linked. A function that the
 * library lacks is NULL in the table (library.h), and features that need it are unsupported.
 *
 * Names are the library's without the leading "nvml". Types and constants have our prefix. */
#ifndef GEO_BACKEND_CUDA_NVML_NVML_H
#define GEO_BACKEND_CUDA_NVML_NVML_H

#define GEO_NVML_FILE "libnvidia-ml.so.1"

typedef struct geo_nvml_device_opaque *geo_nvml_device;
typedef struct geo_nvml_event_set_opaque *geo_nvml_event_set;

/* ---- results ---- */

enum {
    GEO_NVML_SUCCESS = 0,
    GEO_NVML_UNINITIALIZED = 1,
    GEO_NVML_INVALID_ARGUMENT = 2,
    GEO_NVML_NOT_SUPPORTED = 3,
    GEO_NVML_NO_PERMISSION = 4,
    GEO_NVML_NOT_FOUND = 6,
    GEO_NVML_INSUFFICIENT_SIZE = 7,
    GEO_NVML_INSUFFICIENT_POWER = 8,
    GEO_NVML_DRIVER_NOT_LOADED = 9,
    GEO_NVML_TIMEOUT = 10,
    GEO_NVML_FUNCTION_NOT_FOUND = 13,
    GEO_NVML_GPU_IS_LOST = 15,
    GEO_NVML_RESET_REQUIRED = 16,
    GEO_NVML_IN_USE = 19,
    GEO_NVML_MEMORY = 20,
    GEO_NVML_NO_DATA = 21,
    GEO_NVML_VGPU_ECC_NOT_SUPPORTED = 22,
    GEO_NVML_FREQ_NOT_SUPPORTED = 24,
    GEO_NVML_ARGUMENT_VERSION_MISMATCH = 25,
    GEO_NVML_DEPRECATED = 26,
    GEO_NVML_NOT_READY = 27,
    GEO_NVML_GPU_NOT_FOUND = 28,
    GEO_NVML_UNKNOWN = 999,
};

/* ---- constants ---- */

enum { GEO_NVML_CLOCK_GRAPHICS, GEO_NVML_CLOCK_SM, GEO_NVML_CLOCK_MEM, GEO_NVML_CLOCK_VIDEO };

/* Reasons that limit the clocks. */
enum {
    GEO_NVML_REASON_IDLE = 0x1,
    GEO_NVML_REASON_APPLICATION_CLOCKS = 0x2,
    GEO_NVML_REASON_SW_POWER_CAP = 0x4,
    GEO_NVML_REASON_HW_SLOWDOWN =
        0x8, /* together with one of the two below, or alone for a power burst */
    GEO_NVML_REASON_SYNC_BOOST = 0x10,
    GEO_NVML_REASON_SW_THERMAL = 0x20,
    GEO_NVML_REASON_HW_THERMAL = 0x40,
    GEO_NVML_REASON_HW_POWER_BRAKE = 0x80,
    GEO_NVML_REASON_DISPLAY_CLOCKS = 0x100,
};

enum { GEO_NVML_POLICY_POWER = 0, GEO_NVML_POLICY_THERMAL = 1 };

enum {
    GEO_NVML_THRESHOLD_SHUTDOWN,
    GEO_NVML_THRESHOLD_SLOWDOWN,
    GEO_NVML_THRESHOLD_MEMORY_MAX,
    GEO_NVML_THRESHOLD_GPU_MAX,
};

enum { GEO_NVML_SAMPLES_GPU = 1, GEO_NVML_SAMPLES_ENCODER = 3, GEO_NVML_SAMPLES_DECODER = 4 };

enum { GEO_NVML_CORRECTED, GEO_NVML_UNCORRECTED };
enum { GEO_NVML_VOLATILE, GEO_NVML_AGGREGATE };
enum {
    GEO_NVML_PLACE_L1 = 0,
    GEO_NVML_PLACE_L2 = 1,
    GEO_NVML_PLACE_DRAM = 2,
    GEO_NVML_PLACE_REGISTERS = 3,
    GEO_NVML_PLACE_TEXTURE = 4,
    GEO_NVML_PLACE_SRAM = 7,
};

enum { GEO_NVML_INFOROM_OEM, GEO_NVML_INFOROM_ECC, GEO_NVML_INFOROM_POWER };

enum { GEO_NVML_RETIRED_SINGLE_BIT, GEO_NVML_RETIRED_DOUBLE_BIT };

enum { GEO_NVML_FAN_AUTOMATIC, GEO_NVML_FAN_MANUAL };

enum {
    GEO_NVML_LINKS = 18, /* maximum number of NVLinks of a GPU */
    GEO_NVML_LINK_ERROR_RECOVERY = 1,
};

/* Events. */
enum {
    GEO_NVML_EVENT_SINGLE_BIT = 0x1,
    GEO_NVML_EVENT_DOUBLE_BIT = 0x2,
    GEO_NVML_EVENT_XID = 0x8, /* its number is in the event's data */
    GEO_NVML_EVENT_SINGLE_BIT_STORM = 0x200,
    GEO_NVML_EVENT_DRAM_RETIREMENT = 0x400,
    GEO_NVML_EVENT_DRAM_RETIREMENT_FAILURE = 0x800,
    GEO_NVML_EVENT_POISON = 0x1000,
    GEO_NVML_EVENT_FATAL_POISON = 0x2000,
    GEO_NVML_EVENT_UNAVAILABLE = 0x4000,
    GEO_NVML_EVENT_RECOVERY_ACTION = 0x8000,
};

/* Field ids. For fields of an NVLink, `scope` is the link. */
enum {
    GEO_NVML_FIELD_MEMORY_TEMPERATURE = 82,
    GEO_NVML_FIELD_LINK_SPEED_COMMON = 90, /* MB/s of any link */
    GEO_NVML_FIELD_LINK_DATA_TX = 138,     /* KiB */
    GEO_NVML_FIELD_LINK_DATA_RX = 139,
    GEO_NVML_FIELD_LINK_REMOTE = 146, /* number of the link at the other end */
    GEO_NVML_FIELD_LINK_RECOVERIES = 162,
    GEO_NVML_FIELD_LINK_SPEED = 164,    /* MB/s */
    GEO_NVML_FIELD_POWER_AVERAGE = 185, /* mW */
    GEO_NVML_FIELD_POWER_INSTANT = 186,
    GEO_NVML_FIELD_PCIE_TX_BYTES = 197,
    GEO_NVML_FIELD_PCIE_RX_BYTES = 198,
    GEO_NVML_FIELD_LINK_XMIT_BYTES = 202,
    GEO_NVML_FIELD_LINK_RCV_BYTES = 204,
    GEO_NVML_FIELD_RECOVERY_ACTION = 230, /* 0: no action needed */
};

enum {
    GEO_NVML_VALUE_DOUBLE,
    GEO_NVML_VALUE_UINT,
    GEO_NVML_VALUE_ULONG,
    GEO_NVML_VALUE_ULONG_LONG,
    GEO_NVML_VALUE_LONG_LONG,
    GEO_NVML_VALUE_INT,
    GEO_NVML_VALUE_USHORT,
};

/* ---- structures ---- */

/* The version field at the start of some structures: size and version number. */
#define GEO_NVML_VERSION(type, number) ((unsigned)sizeof(type) | (number) << 24)

typedef struct {
    char bus_id_legacy[16];
    unsigned domain, bus, device;
    unsigned device_id; /* vendor in the low 16 bits */
    unsigned subsystem_id;
    char bus_id[32]; /* "00000000:3B:00.0" */
} geo_nvml_pci;

typedef struct {
    unsigned version;
    unsigned long long total, reserved, free, used;
} geo_nvml_memory_v2;

typedef struct {
    unsigned long long total, free, used;
} geo_nvml_memory;

typedef struct {
    unsigned long long total, free, used;
} geo_nvml_bar1;

typedef struct {
    unsigned pid;
    unsigned long long bytes; /* all bits set: unknown */
    unsigned gpu_instance, compute_instance;
} geo_nvml_process;

typedef union {
    double d;
    int i;
    unsigned ui;
    unsigned long ul;
    unsigned long long ull;
    long long ll;
    unsigned short us;
} geo_nvml_value;

typedef struct {
    unsigned long long time_us;
    geo_nvml_value value;
} geo_nvml_sample;

typedef struct {
    unsigned long long reference_us;
    unsigned long long violation_ns;
} geo_nvml_violation;

typedef struct {
    unsigned field, scope;
    long long time_us, latency_us;
    int type;
    int result;
    geo_nvml_value value;
} geo_nvml_field;

typedef struct {
    geo_nvml_device device;
    unsigned long long type, data;
    unsigned gpu_instance, compute_instance;
} geo_nvml_event;

typedef struct {
    unsigned version, fan, rpm;
} geo_nvml_fan_rpm;

/* ---- functions ---- */

/* name, symbol, parameters; all return a result code. */
#define GEO_NVML_FUNCTIONS(X)                                                                      \
    X(Init, Init_v2, (void))                                                                       \
    X(Shutdown, Shutdown, (void))                                                                  \
    X(SystemGetDriverVersion, SystemGetDriverVersion, (char *text, unsigned size))                 \
    X(DeviceGetCount, DeviceGetCount_v2, (unsigned *count))                                        \
    X(DeviceGetHandleByIndex, DeviceGetHandleByIndex_v2,                                           \
      (unsigned index, geo_nvml_device *device))                                                   \
    GEO_NVML_OF_DEVICE(X)                                                                          \
    GEO_NVML_OF_CLOCKS(X)                                                                          \
    GEO_NVML_OF_MEMORY(X)                                                                          \
    GEO_NVML_OF_LINKS(X)                                                                           \
    X(EventSetCreate, EventSetCreate, (geo_nvml_event_set * set))                                  \
    X(EventSetFree, EventSetFree, (geo_nvml_event_set set))                                        \
    X(EventSetWait, EventSetWait_v2,                                                               \
      (geo_nvml_event_set set, geo_nvml_event * event, unsigned ms))                               \
    X(DeviceRegisterEvents, DeviceRegisterEvents,                                                  \
      (geo_nvml_device device, unsigned long long types, geo_nvml_event_set set))                  \
    X(DeviceGetSupportedEventTypes, DeviceGetSupportedEventTypes,                                  \
      (geo_nvml_device device, unsigned long long *types))

#define GEO_NVML_OF_DEVICE(X)                                                                      \
    X(DeviceGetName, DeviceGetName, (geo_nvml_device device, char *text, unsigned size))           \
    X(DeviceGetBrand, DeviceGetBrand, (geo_nvml_device device, int *brand))                        \
    X(DeviceGetSerial, DeviceGetSerial, (geo_nvml_device device, char *text, unsigned size))       \
    X(DeviceGetUUID, DeviceGetUUID, (geo_nvml_device device, char *text, unsigned size))           \
    X(DeviceGetBoardPartNumber, DeviceGetBoardPartNumber,                                          \
      (geo_nvml_device device, char *text, unsigned size))                                         \
    X(DeviceGetVbiosVersion, DeviceGetVbiosVersion,                                                \
      (geo_nvml_device device, char *text, unsigned size))                                         \
    X(DeviceGetInforomImageVersion, DeviceGetInforomImageVersion,                                  \
      (geo_nvml_device device, char *text, unsigned size))                                         \
    X(DeviceGetInforomVersion, DeviceGetInforomVersion,                                            \
      (geo_nvml_device device, int object, char *text, unsigned size))                             \
    X(DeviceGetGspFirmwareVersion, DeviceGetGspFirmwareVersion,                                    \
      (geo_nvml_device device, char *text))                                                        \
    X(DeviceGetNumGpuCores, DeviceGetNumGpuCores, (geo_nvml_device device, unsigned *count))       \
    X(DeviceGetPciInfo, DeviceGetPciInfo_v3, (geo_nvml_device device, geo_nvml_pci * pci))         \
    X(DeviceGetMaxPcieLinkGeneration, DeviceGetMaxPcieLinkGeneration,                              \
      (geo_nvml_device device, unsigned *generation))                                              \
    X(DeviceGetGpuMaxPcieLinkGeneration, DeviceGetGpuMaxPcieLinkGeneration,                        \
      (geo_nvml_device device, unsigned *generation))                                              \
    X(DeviceGetMaxPcieLinkWidth, DeviceGetMaxPcieLinkWidth,                                        \
      (geo_nvml_device device, unsigned *width))                                                   \
    X(DeviceGetCurrPcieLinkGeneration, DeviceGetCurrPcieLinkGeneration,                            \
      (geo_nvml_device device, unsigned *generation))                                              \
    X(DeviceGetCurrPcieLinkWidth, DeviceGetCurrPcieLinkWidth,                                      \
      (geo_nvml_device device, unsigned *width))                                                   \
    X(DeviceGetPcieReplayCounter, DeviceGetPcieReplayCounter,                                      \
      (geo_nvml_device device, unsigned *count))                                                   \
    X(DeviceGetComputeRunningProcesses, DeviceGetComputeRunningProcesses_v3,                       \
      (geo_nvml_device device, unsigned *count, geo_nvml_process *processes))                      \
    X(DeviceGetGraphicsRunningProcesses, DeviceGetGraphicsRunningProcesses_v3,                     \
      (geo_nvml_device device, unsigned *count, geo_nvml_process *processes))                      \
    X(DeviceGetSamples, DeviceGetSamples,                                                          \
      (geo_nvml_device device, int type, unsigned long long since_us, int *value_type,             \
       unsigned *count, geo_nvml_sample *samples))                                                 \
    X(DeviceGetFieldValues, DeviceGetFieldValues,                                                  \
      (geo_nvml_device device, int count, geo_nvml_field *fields))                                 \
    X(DeviceGetTemperature, DeviceGetTemperature,                                                  \
      (geo_nvml_device device, int sensor, unsigned *celsius))                                     \
    X(DeviceGetTemperatureThreshold, DeviceGetTemperatureThreshold,                                \
      (geo_nvml_device device, int kind, unsigned *celsius))                                       \
    X(DeviceGetNumFans, DeviceGetNumFans, (geo_nvml_device device, unsigned *count))               \
    X(DeviceGetFanSpeed, DeviceGetFanSpeed_v2,                                                     \
      (geo_nvml_device device, unsigned fan, unsigned *percent))                                   \
    X(DeviceGetFanSpeedRPM, DeviceGetFanSpeedRPM,                                                  \
      (geo_nvml_device device, geo_nvml_fan_rpm * rpm))                                            \
    X(DeviceGetTargetFanSpeed, DeviceGetTargetFanSpeed,                                            \
      (geo_nvml_device device, unsigned fan, unsigned *percent))                                   \
    X(DeviceGetMinMaxFanSpeed, DeviceGetMinMaxFanSpeed,                                            \
      (geo_nvml_device device, unsigned *least, unsigned *most))                                   \
    X(DeviceGetFanControlPolicy, DeviceGetFanControlPolicy_v2,                                     \
      (geo_nvml_device device, unsigned fan, unsigned *policy))                                    \
    X(DeviceSetFanSpeed, DeviceSetFanSpeed_v2,                                                     \
      (geo_nvml_device device, unsigned fan, unsigned percent))                                    \
    X(DeviceSetDefaultFanSpeed, DeviceSetDefaultFanSpeed_v2,                                       \
      (geo_nvml_device device, unsigned fan))                                                      \
    X(DeviceGetMigMode, DeviceGetMigMode,                                                          \
      (geo_nvml_device device, unsigned *current, unsigned *pending))                              \
    X(DeviceGetMaxMigDeviceCount, DeviceGetMaxMigDeviceCount,                                      \
      (geo_nvml_device device, unsigned *count))                                                   \
    X(DeviceGetMigDeviceHandleByIndex, DeviceGetMigDeviceHandleByIndex,                            \
      (geo_nvml_device device, unsigned index, geo_nvml_device *mig))

#define GEO_NVML_OF_CLOCKS(X)                                                                      \
    X(DeviceGetClockInfo, DeviceGetClockInfo, (geo_nvml_device device, int type, unsigned *mhz))   \
    X(DeviceGetMaxClockInfo, DeviceGetMaxClockInfo,                                                \
      (geo_nvml_device device, int type, unsigned *mhz))                                           \
    X(DeviceGetApplicationsClock, DeviceGetApplicationsClock,                                      \
      (geo_nvml_device device, int type, unsigned *mhz))                                           \
    X(DeviceGetSupportedMemoryClocks, DeviceGetSupportedMemoryClocks,                              \
      (geo_nvml_device device, unsigned *count, unsigned *mhz))                                    \
    X(DeviceGetSupportedGraphicsClocks, DeviceGetSupportedGraphicsClocks,                          \
      (geo_nvml_device device, unsigned memory_mhz, unsigned *count, unsigned *mhz))               \
    X(DeviceGetThrottleReasons, DeviceGetCurrentClocksThrottleReasons,                             \
      (geo_nvml_device device, unsigned long long *reasons))                                       \
    X(DeviceGetViolationStatus, DeviceGetViolationStatus,                                          \
      (geo_nvml_device device, int policy, geo_nvml_violation *violation))                         \
    X(DeviceSetGpuLockedClocks, DeviceSetGpuLockedClocks,                                          \
      (geo_nvml_device device, unsigned least, unsigned most))                                     \
    X(DeviceResetGpuLockedClocks, DeviceResetGpuLockedClocks, (geo_nvml_device device))            \
    X(DeviceSetMemoryLockedClocks, DeviceSetMemoryLockedClocks,                                    \
      (geo_nvml_device device, unsigned least, unsigned most))                                     \
    X(DeviceResetMemoryLockedClocks, DeviceResetMemoryLockedClocks, (geo_nvml_device device))      \
    X(DeviceGetPowerUsage, DeviceGetPowerUsage, (geo_nvml_device device, unsigned *mw))            \
    X(DeviceGetTotalEnergyConsumption, DeviceGetTotalEnergyConsumption,                            \
      (geo_nvml_device device, unsigned long long *mj))                                            \
    X(DeviceGetPowerManagementLimit, DeviceGetPowerManagementLimit,                                \
      (geo_nvml_device device, unsigned *mw))                                                      \
    X(DeviceGetPowerManagementDefaultLimit, DeviceGetPowerManagementDefaultLimit,                  \
      (geo_nvml_device device, unsigned *mw))                                                      \
    X(DeviceGetPowerManagementLimitConstraints, DeviceGetPowerManagementLimitConstraints,          \
      (geo_nvml_device device, unsigned *least, unsigned *most))                                   \
    X(DeviceSetPowerManagementLimit, DeviceSetPowerManagementLimit,                                \
      (geo_nvml_device device, unsigned mw))

#define GEO_NVML_OF_MEMORY(X)                                                                      \
    X(DeviceGetMemoryInfo_v2, DeviceGetMemoryInfo_v2,                                              \
      (geo_nvml_device device, geo_nvml_memory_v2 * memory))                                       \
    X(DeviceGetMemoryInfo, DeviceGetMemoryInfo,                                                    \
      (geo_nvml_device device, geo_nvml_memory * memory))                                          \
    X(DeviceGetBAR1MemoryInfo, DeviceGetBAR1MemoryInfo,                                            \
      (geo_nvml_device device, geo_nvml_bar1 * memory))                                            \
    X(DeviceGetMemoryBusWidth, DeviceGetMemoryBusWidth, (geo_nvml_device device, unsigned *bits))  \
    X(DeviceGetEccMode, DeviceGetEccMode, (geo_nvml_device device, int *current, int *pending))    \
    X(DeviceGetDefaultEccMode, DeviceGetDefaultEccMode, (geo_nvml_device device, int *mode))       \
    X(DeviceSetEccMode, DeviceSetEccMode, (geo_nvml_device device, int mode))                      \
    X(DeviceGetMemoryErrorCounter, DeviceGetMemoryErrorCounter,                                    \
      (geo_nvml_device device, int kind, int since, int place, unsigned long long *count))         \
    X(DeviceClearEccErrorCounts, DeviceClearEccErrorCounts, (geo_nvml_device device, int since))   \
    X(DeviceGetRetiredPages, DeviceGetRetiredPages,                                                \
      (geo_nvml_device device, int cause, unsigned *count, unsigned long long *addresses))         \
    X(DeviceGetRetiredPagesPendingStatus, DeviceGetRetiredPagesPendingStatus,                      \
      (geo_nvml_device device, int *pending))                                                      \
    X(DeviceGetRemappedRows, DeviceGetRemappedRows,                                                \
      (geo_nvml_device device, unsigned *corrected, unsigned *uncorrected, unsigned *pending,      \
       unsigned *failed))

#define GEO_NVML_OF_LINKS(X)                                                                       \
    X(DeviceGetNvLinkState, DeviceGetNvLinkState,                                                  \
      (geo_nvml_device device, unsigned link, int *active))                                        \
    X(DeviceGetNvLinkVersion, DeviceGetNvLinkVersion,                                              \
      (geo_nvml_device device, unsigned link, unsigned *version))                                  \
    X(DeviceGetNvLinkRemotePciInfo, DeviceGetNvLinkRemotePciInfo_v2,                               \
      (geo_nvml_device device, unsigned link, geo_nvml_pci *pci))                                  \
    X(DeviceGetNvLinkErrorCounter, DeviceGetNvLinkErrorCounter,                                    \
      (geo_nvml_device device, unsigned link, int kind, unsigned long long *count))

/* The only function that returns a string. */
#define GEO_NVML_ERROR_STRING "nvmlErrorString"

#endif
