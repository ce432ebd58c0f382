/* API test of ZE_FLAT_DEVICE_HIERARCHY and ZE_AFFINITY_MASK on two devices of four tiles, the
 * machine of the specification's examples. This program starts itself with the variables set; the
 * child prints what it sees, this process reads it against the specification's tables.
 *
 * A device is named by its uuid, which the first child, without mask, tells with its place: "1" is
 * the second device, "1.2" its third tile. Of what is listed a child prints
 *
 *     NAME[SUB SUB ...]    a device and its sub-devices
 *     NAMEs2^ROOT          which has the flag SUBDEVICE, subdeviceId 2 and that root device
 *     ... |N               how many devices sysman lists
 *
 * one line a driver. */
#include "limit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <level_zero/ze_api.h>
#include <level_zero/zes_api.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEVICES  32u
#define DRIVERS  2u
#define UUID_HEX (2 * ZE_MAX_DEVICE_UUID_SIZE)

/* ---- the child ---- */

#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("!%d: %s\n", __LINE__, #condition);                                             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static ze_device_properties_t properties_of(ze_device_handle_t device)
{
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    NEED(zeDeviceGetProperties(device, &p) == ZE_RESULT_SUCCESS);
    return p;
}

static void uuid_print(ze_device_handle_t device)
{
    const ze_device_properties_t p = properties_of(device);
    putchar('@');
    for (int i = 0; i < ZE_MAX_DEVICE_UUID_SIZE; i++) {
        printf("%02x", p.uuid.id[i]);
    }
}

static uint32_t subs_of(ze_device_handle_t device, ze_device_handle_t *subs)
{
    uint32_t count = 0, again = DEVICES;
    NEED(zeDeviceGetSubDevices(device, &count, NULL) == ZE_RESULT_SUCCESS);
    NEED(zeDeviceGetSubDevices(device, &again, subs) == ZE_RESULT_SUCCESS);
    NEED(count == again && count != 1); /* several or none, never one (DEV-3) */
    return count;
}

static void device_print(ze_device_handle_t device)
{
    const ze_device_properties_t p = properties_of(device);
    ze_device_handle_t root = (ze_device_handle_t)&root, subs[DEVICES];
    NEED(zeDeviceGetRootDevice(device, &root) == ZE_RESULT_SUCCESS);
    uuid_print(device);
    if (p.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE) {
        printf("s%u", p.subdeviceId);
    } else {
        NEED(p.subdeviceId == 0);
    }
    if (root) {
        uint32_t count = subs_of(root, subs);
        printf("^");
        uuid_print(root);
        NEED(p.subdeviceId < count && subs[p.subdeviceId] == device);
    }
    uint32_t count = subs_of(device, subs);
    for (uint32_t i = 0; i < count; i++) {
        putchar(i == 0 ? '[' : ' ');
        device_print(subs[i]);
    }
    printf("%s", count ? "]" : "");
}

static uint64_t pci_place(ze_device_handle_t device)
{
    ze_pci_ext_properties_t p = {.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES};
    NEED(zeDevicePciGetPropertiesExt(device, &p) == ZE_RESULT_SUCCESS);
    return (uint64_t)p.address.domain << 32 | p.address.bus << 16 | p.address.device << 8 |
           p.address.function;
}

static void driver_print(ze_driver_handle_t driver, zes_driver_handle_t sysman)
{
    ze_device_handle_t devices[DEVICES];
    uint32_t count = DEVICES, cards = 0;
    NEED(zeDeviceGet(driver, &count, devices) == ZE_RESULT_SUCCESS);
    for (uint32_t i = 0; i < count; i++) {
        printf("%s", i ? " " : "");
        device_print(devices[i]);
        NEED(i == 0 || pci_place(devices[i - 1]) <= pci_place(devices[i]));
    }
    NEED(zesDeviceGet(sysman, &cards, NULL) == ZE_RESULT_SUCCESS);
    printf("|%u\n", cards);
}

static int child_main(void)
{
    ze_init_driver_type_desc_t types = {ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC, NULL, UINT32_MAX};
    ze_driver_handle_t drivers[DRIVERS];
    zes_driver_handle_t sysman[DRIVERS];
    uint32_t count = DRIVERS, sysman_count = DRIVERS;
    if (zeInitDrivers(&count, drivers, &types) != ZE_RESULT_SUCCESS) {
        return 0; /* nothing is left: a loader may drop drivers without devices */
    }
    NEED(zesInit(0) == ZE_RESULT_SUCCESS);
    NEED(zesDriverGet(&sysman_count, sysman) == ZE_RESULT_SUCCESS);
    NEED(count == sysman_count);
    for (uint32_t i = 0; i < count; i++) {
        driver_print(drivers[i], sysman[i]);
    }
    return 0;
}

/* ---- this process ---- */

struct seen {
    char lines[DRIVERS][8192];
    uint32_t count;
};

static struct seen all; /* without a mask: what names are made of */

static void lines_read(FILE *file, struct seen *out)
{
    memset(out, 0, sizeof(*out));
    while (out->count < DRIVERS && fgets(out->lines[out->count], 8192, file)) {
        char *line = out->lines[out->count++];
        line[strcspn(line, "\n")] = '\0';
    }
}

/* Settings are "NAME=value", the last is NULL. */
static void child_run(char *const *settings, struct seen *out)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        unsetenv("ZE_AFFINITY_MASK");
        unsetenv("ZE_FLAT_DEVICE_HIERARCHY");
        for (; *settings; settings++) {
            putenv(*settings);
        }
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        limit_stall();
        execl("/proc/self/exe", "hierarchy", "child", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *file = fdopen(ends[0], "r");
    assert_non_null(file);
    lines_read(file, out);
    fclose(file);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fail_msg("%s", out->lines[0]);
    }
}

/* The place of a uuid in the listing of everything, as a name. */
static void name_find(const char *line, const char *uuid, char *name, size_t size)
{
    int device = -1, part = -1, depth = 0;
    for (const char *at = line; *at; at++) {
        depth += *at == '[' ? 1 : *at == ']' ? -1 : 0;
        if (*at == '^') {
            at += 1 + UUID_HEX; /* a root's, named before */
        } else if (*at == '@') {
            device += depth == 0;
            part = depth == 0 ? -1 : part + 1;
            if (strncmp(at, uuid, 1 + UUID_HEX) == 0) {
                snprintf(name, size, part < 0 ? "%d" : "%d.%d", device, part);
                return;
            }
        }
    }
    fail_msg("%.33s is nowhere", uuid);
}

static void names_put(const char *whole, const char *line, char *out, size_t size)
{
    size_t used = 0;
    while (*line && used + 16 < size) {
        if (*line == '@') {
            name_find(whole, line, &out[used], 16);
            used += strlen(&out[used]);
            line += 1 + UUID_HEX;
        } else {
            out[used++] = *line++;
        }
    }
    out[used] = '\0';
}

/* What every driver shows under these variables; "" when none is left. */
static void expect_in(const char *hierarchy, const char *mask, const char *expected)
{
    char mode[64], text[128], named[1024], *settings[3] = {mode, NULL, NULL};
    struct seen seen;
    snprintf(mode, sizeof(mode), "ZE_FLAT_DEVICE_HIERARCHY=%s", hierarchy);
    if (mask) {
        snprintf(text, sizeof(text), "ZE_AFFINITY_MASK=%s", mask);
        settings[1] = text;
    }
    child_run(settings, &seen);
    for (uint32_t i = 0; i < seen.count; i++) {
        names_put(all.lines[i], seen.lines[i], named, sizeof(named));
        if (strncmp(named, expected, strlen(expected)) != 0 ||
            strcmp(named + strlen(expected), "|2") != 0) { /* sysman has both, always (ENV-5) */
            fail_msg("%s, mask %s: %s instead of %s|2", hierarchy, mask ? mask : "unset", named,
                     expected);
        }
    }
    assert_true(seen.count == DRIVERS || *expected == '\0');
}

#define TILES_OF(d) #d "[" #d ".0s0^" #d " " #d ".1s1^" #d " " #d ".2s2^" #d " " #d ".3s3^" #d "]"
#define FLAT_ALL    "0.0 0.1 0.2 0.3 1.0 1.1 1.2 1.3"

static int group_setup(void **state)
{
    (void)state;
    char *settings[] = {"ZE_FLAT_DEVICE_HIERARCHY=COMPOSITE", NULL};
    child_run(settings, &all);
    return all.count != DRIVERS;
}

/* ENV-1, ENV-2, ENV-3, ENV-4, ENV-5, DEV-3, DEV-6 */
static void each_hierarchy_lists_what_it_says(void **state)
{
    (void)state;
    expect_in("COMPOSITE", NULL, TILES_OF(0) " " TILES_OF(1));
    expect_in("FLAT", NULL, FLAT_ALL);
    expect_in("COMBINED", NULL, "0.0s0^0 0.1s1^0 0.2s2^0 0.3s3^0 1.0s0^1 1.1s1^1 1.2s2^1 1.3s3^1");
}

/* ENV-2: what is unset or unknown */
static void composite_is_the_default(void **state)
{
    (void)state;
    expect_in("", NULL, TILES_OF(0) " " TILES_OF(1));
    expect_in("flat", NULL, TILES_OF(0) " " TILES_OF(1));
    expect_in("FLATTER", NULL, TILES_OF(0) " " TILES_OF(1));
}

/* ENV-6, ENV-7, ENV-9 */
static void a_mask_of_devices_keeps_all_their_tiles(void **state)
{
    (void)state;
    expect_in("COMPOSITE", "0,1", TILES_OF(0) " " TILES_OF(1));
    expect_in("COMPOSITE", "0", TILES_OF(0));
    expect_in("COMPOSITE", "1", TILES_OF(1));
    expect_in("COMPOSITE", "", TILES_OF(0) " " TILES_OF(1));
}

/* ENV-10, DEV-3 */
static void a_tile_alone_is_a_device_without_sub_devices(void **state)
{
    (void)state;
    expect_in("COMPOSITE", "0.0", "0.0");
    expect_in("COMPOSITE", "1.3", "1.3");
    expect_in("COMPOSITE", "0,1.2", TILES_OF(0) " 1.2");
}

/* ENV-8, ENV-11, ENV-12, ENV-6 */
static void tiles_that_a_mask_names_are_numbered_anew(void **state)
{
    (void)state;
    expect_in("COMPOSITE", "1.1,1.2", "1[1.1s0^1 1.2s1^1]");
    expect_in("COMPOSITE", "0.2,1.3,1.0,0.3", "0[0.2s0^0 0.3s1^0] 1[1.0s0^1 1.3s1^1]");
    expect_in("COMPOSITE", "0.1,0", TILES_OF(0));
}

/* ENV-7, ENV-8, ENV-13 */
static void a_flat_mask_counts_tiles(void **state)
{
    (void)state;
    expect_in("FLAT", "0,1,2,3,4,5,6,7", FLAT_ALL);
    expect_in("FLAT", "0", "0.0");
    expect_in("FLAT", "1", "0.1");
    expect_in("FLAT", "0,4", "0.0 1.0");
    expect_in("FLAT", "1,2,7", "0.1 0.2 1.3");
    expect_in("FLAT", "7,1,2", "0.1 0.2 1.3");
}

/* ENV-4, ENV-7, DEV-3 */
static void a_combined_mask_counts_tiles_too(void **state)
{
    (void)state;
    expect_in("COMBINED", "0,4", "0.0 1.0"); /* each alone of its device */
    expect_in("COMBINED", "1,2,7", "0.1s0^0 0.2s1^0 1.3");
}

/* ENV-14 */
static void dotted_entries_name_nothing_where_tiles_are_devices(void **state)
{
    (void)state;
    expect_in("FLAT", "0.0", "");
    expect_in("COMBINED", "0.0", "");
    expect_in("FLAT", "0.0,5", "1.1");
    expect_in("COMPOSITE", "0.4,2,1.0.0", "");
}

/* ENV-15: devices are in the order of their PCI addresses (each child looks), switched on or not */
static void the_order_by_address_is_the_order(void **state)
{
    (void)state;
    assert_int_equal(setenv("ZE_ENABLE_PCI_ID_DEVICE_ORDER", "1", 1), 0);
    expect_in("COMPOSITE", NULL, TILES_OF(0) " " TILES_OF(1));
    expect_in("FLAT", NULL, FLAT_ALL);
    unsetenv("ZE_ENABLE_PCI_ID_DEVICE_ORDER");
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "child") == 0) {
        return child_main();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_hierarchy_lists_what_it_says),
        cmocka_unit_test(composite_is_the_default),
        cmocka_unit_test(a_mask_of_devices_keeps_all_their_tiles),
        cmocka_unit_test(a_tile_alone_is_a_device_without_sub_devices),
        cmocka_unit_test(tiles_that_a_mask_names_are_numbered_anew),
        cmocka_unit_test(a_flat_mask_counts_tiles),
        cmocka_unit_test(a_combined_mask_counts_tiles_too),
        cmocka_unit_test(dotted_entries_name_nothing_where_tiles_are_devices),
        cmocka_unit_test(the_order_by_address_is_the_order),
    };
    return cmocka_run_group_tests_name("hierarchy", tests, group_setup, NULL);
}
