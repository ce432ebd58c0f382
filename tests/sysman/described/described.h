/* The described backend: the null backend's devices with a sysman that a test writes. It is in a
 * driver library of its own (libze_described.so.1), which is not installed, beside the null backend
 * as it is, and has every class of the seam (backend/sysman.h), marked as simulated.
 *
 * What an operation answers lies in struct described, which all devices share; what an operation
 * sets goes there, too. Tests see public headers and this one (sysman.h looks the functions up).
 * Who has threads takes the lock around what it reads and writes. */
#ifndef TESTS_SYSMAN_DESCRIBED_H
#define TESTS_SYSMAN_DESCRIBED_H

#include <level_zero/zes_api.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Class and name of each operation of the seam that can fail. */
#define DESCRIBED_OPERATIONS(X)                                                                    \
    X(power, energy)                                                                               \
    X(power, limits)                                                                               \
    X(power, set_limits)                                                                           \
    X(power, usage)                                                                                \
    X(power, set_energy_threshold)                                                                 \
    X(frequency, range)                                                                            \
    X(frequency, set_range)                                                                        \
    X(frequency, state)                                                                            \
    X(frequency, throttle_time)                                                                    \
    X(frequency, oc_capabilities)                                                                  \
    X(frequency, oc)                                                                               \
    X(frequency, set_oc)                                                                           \
    X(engine, activity)                                                                            \
    X(scheduler, mode)                                                                             \
    X(scheduler, set_mode)                                                                         \
    X(firmware, version)                                                                           \
    X(firmware, flash)                                                                             \
    X(firmware, flash_progress)                                                                    \
    X(firmware, console_log)                                                                       \
    X(firmware, security_version)                                                                  \
    X(firmware, fix_security_version)                                                              \
    X(memory, state)                                                                               \
    X(memory, bandwidth)                                                                           \
    X(memory, pages_offline)                                                                       \
    X(fabric_port, config)                                                                         \
    X(fabric_port, set_config)                                                                     \
    X(fabric_port, state)                                                                          \
    X(fabric_port, throughput)                                                                     \
    X(fabric_port, errors)                                                                         \
    X(temperature, state)                                                                          \
    X(temperature, set_thresholds)                                                                 \
    X(psu, state)                                                                                  \
    X(fan, config)                                                                                 \
    X(fan, set_config)                                                                             \
    X(fan, speed)                                                                                  \
    X(led, state)                                                                                  \
    X(led, set_state)                                                                              \
    X(ras, counters)                                                                               \
    X(ras, clear)                                                                                  \
    X(ras, set_thresholds)                                                                         \
    X(diagnostics, run)                                                                            \
    X(standby, mode)                                                                               \
    X(standby, set_mode)                                                                           \
    X(performance, factor)                                                                         \
    X(performance, set_factor)                                                                     \
    X(overclock, control)                                                                          \
    X(overclock, set_control)                                                                      \
    X(overclock, point)                                                                            \
    X(overclock, set_point)                                                                        \
    X(virtual_function, memory)                                                                    \
    X(virtual_function, engines)                                                                   \
    X(virtual_function, set_telemetry)                                                             \
    X(device, state)                                                                               \
    X(device, reset)                                                                               \
    X(device, processes)                                                                           \
    X(device, pci_state)                                                                           \
    X(device, pci_stats)                                                                           \
    X(device, pci_set_downgrade)                                                                   \
    X(device, ecc_state)                                                                           \
    X(device, ecc_set)                                                                             \
    X(device, overclock_waive)                                                                     \
    X(device, overclock_reset)                                                                     \
    X(device, overclock_state)                                                                     \
    X(device, watch)

#define DESCRIBED_NAME(kind, operation) DESCRIBED_##kind##_##operation,
enum described_operation { DESCRIBED_OPERATIONS(DESCRIBED_NAME) DESCRIBED_COUNT };

/* As the result of an operation: the backend has it not. */
#define DESCRIBED_ABSENT 0x7ffffff0

enum {
    DESCRIBED_DEVICES = 2,
    DESCRIBED_LIMITS = 5,
    DESCRIBED_PROCESSES = 64,
    DESCRIBED_CATEGORIES = 5, /* at most, of a set of error counters */
    DESCRIBED_POINTS = 3,
};

struct described {
    pthread_mutex_t lock;
    int result[DESCRIBED_COUNT]; /* ze_result_t; set by described_set */
    uint32_t calls[DESCRIBED_COUNT];

    zes_power_energy_counter_t energy, energy_step; /* added by each reading */
    zes_power_limit_ext_desc_t limits[DESCRIBED_LIMITS];
    uint32_t limit_count, limits_set;
    uint32_t watts_now, watts_average; /* milliwatts */
    double armed_joules;

    zes_freq_range_t range;
    zes_freq_state_t frequency;
    zes_freq_throttle_time_t throttled;
    zes_oc_capabilities_t oc;
    double oc_frequency, oc_voltage, oc_offset, oc_icc, oc_tj;
    zes_oc_mode_t oc_mode;
    uint32_t oc_fields; /* of the last set */

    zes_engine_stats_t activity[3];

    zes_sched_mode_t sched_mode;
    uint64_t watchdog, interval, yield_out;
    bool reload;

    char version[ZES_STRING_PROPERTY_SIZE], security[ZES_STRING_PROPERTY_SIZE];
    const char *log;
    uint64_t flashed_bytes;
    uint8_t flashed_first;
    uint32_t flash_percent;
    bool security_fixed;

    zes_mem_state_t memory;
    zes_mem_bandwidth_t bandwidth;
    uint32_t pages, max_pages;

    zes_fabric_port_config_t port_config;
    zes_fabric_port_state_t port_state;
    zes_fabric_port_throughput_t throughput[2]; /* by port */
    zes_fabric_port_error_counters_t port_errors;

    double celsius;
    zes_temp_config_t armed_celsius;
    zes_psu_state_t psu;
    zes_fan_config_t fan;
    int32_t fan_speed;
    zes_led_state_t led;

    uint64_t errors[2][DESCRIBED_CATEGORIES]; /* by set, in the order of its categories */
    uint64_t armed_errors[DESCRIBED_CATEGORIES], armed_total;

    uint32_t test_first, test_last;
    zes_diag_result_t diagnosis;

    zes_standby_promo_mode_t standby;
    double factor;

    double control, control_pending;
    zes_control_state_t control_state;
    zes_pending_action_t action;
    uint32_t points[2][DESCRIBED_POINTS]; /* by zes_vf_type_t */
    zes_vf_array_type_t curve;            /* of the last question */

    uint32_t functions; /* how many virtual functions there are: 1 or 2 */
    zes_vf_util_mem_exp2_t vf_memory[2];
    zes_vf_util_engine_exp2_t vf_engines[2];
    zes_vf_info_util_exp_flags_t vf_flags;
    uint64_t vf_interval;

    zes_reset_reason_flags_t reset_reason;
    zes_repair_status_t repaired;
    zes_device_state_ext_flags_t state_flags;
    bool reset_forced;
    int reset_type; /* -1: the default */
    zes_process_state_t processes[DESCRIBED_PROCESSES];
    uint32_t process_count, process_growth; /* that come with each question */
    zes_pci_state_t pci;
    bool downgraded;
    zes_pci_stats_t pci_stats;
    zes_device_ecc_properties_t ecc;
    zes_overclock_mode_t overclock_mode;
    bool waived, overclocked, needs_reset, reset_to_shipped;

    struct described_events {
        zes_event_type_flags_t watched, happened; /* happened: not taken yet */
        uint32_t takes, unwatches;
        int fd;                  /* that watch gave; -1 */
    } events[DESCRIBED_DEVICES]; /* in the order in which devices were first asked */
    uint64_t period_ns;          /* that watch asks for */
    bool no_fd;                  /* watch gives no descriptor */
    bool broken_fd;              /* or one that has hung up */
};

/* What the library exports; the tests' side of it is sysman.h. */
struct described *described_state(void);
/* Everything as at the start, and every operation works. */
void described_reset(void);
/* From now on the operation gives this result, or is not there (DESCRIBED_ABSENT). Not while others
 * call it. */
void described_set(enum described_operation operation, int result);
/* Something happens on a device. */
void described_happen(uint32_t device, zes_event_type_flags_t events);

#endif
