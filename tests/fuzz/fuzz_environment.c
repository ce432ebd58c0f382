/* The environment from anyone: every option of our table and the switches of the loader and the
 * driver, with any text. What is read lies in its range, a number that is one is that number, a
 * mask selects devices that there are, an order of drivers has each of them once. Each process
 * begins with an initialisation under a text for every variable at once, the log's rules among
 * them.
 *
 * The variable is set by changing `environ` itself: setenv would keep each text for ever. */
#include "ddi/geo_api.h"

#include "base/log.h"
#include "base/option.h"
#include "base/path.h"
#include "driver/core/affinity.h"
#include "loader/discovery/discovery.h"
#include "loader/driver_order.h"

#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES 64u
#define PARTS   4u /* of a device, at most */
#define TEXT    4096u

enum { OPTION, NUMBER, MASK, DRIVERS, ORDER, SWITCH };

static const char *const foreign[] = {"ZE_AFFINITY_MASK", "ZE_ENABLE_ALT_DRIVERS",
                                      "ZEL_DRIVERS_ORDER", "ZE_ENABLE_NULL_DRIVER"};

#define FOREIGN (sizeof(foreign) / sizeof(foreign[0]))

/* ---- one ---- */

static char variable[TEXT + 64];
static char *variables[] = {variable, NULL};

static const char *variable_set(const char *name, const uint8_t *text, size_t size)
{
    int length = snprintf(variable, sizeof(variable), "%s=", name);
    memcpy(variable + length, text, size);
    variable[(size_t)length + size] = '\0';
    return variable + length;
}

/* A number as we promise to read it, by other means: decimal digits alone. */
static bool decimal_read(const char *text, uint64_t *number)
{
    size_t digits = strspn(text, "0123456789");
    *number = 0;
    for (size_t i = 0; i < digits; i++) {
        *number = *number * 10 + (uint64_t)(text[i] - '0');
    }
    return digits != 0 && digits < 19 && text[digits] == '\0' && (digits == 1 || text[0] != '0');
}

static uint64_t fallback_of(const struct geo_option *option)
{
    return option->fallback ? strtoull(option->fallback, NULL, 0) : 0;
}

static unsigned option_run(const struct geo_option *option, const char *text)
{
    static const uint64_t limits[] = {1, 32, 1u << 20, UINT32_MAX, UINT64_MAX};
    uint64_t max = limits[strlen(text) % 5], wanted;
    uint64_t number = geo_option_number(option->name, 0, max);
    bool is_number = decimal_read(text, &wanted);
    const char *string = geo_option_string(option->name);
    bool flag = geo_option_flag(option->name);
    if (is_number && wanted <= max ? number != wanted
                                   : number > max && number != fallback_of(option)) {
        fuzz_found(FUZZ_WRONG, "%s=%s is read as %llu", option->name, text,
                   (unsigned long long)number);
    }
    if (!string || strcmp(string, text) != 0 || (flag && is_number && wanted != 1)) {
        fuzz_found(FUZZ_WRONG, "%s=%s is not what is read", option->name, text);
    }
    return is_number ? NUMBER : OPTION;
}

/* Nothing is written behind the last leaf, and as many are selected as is said. How many devices
 * there are and which of them have parts follows from the text's length. */
static unsigned mask_run(const char *text)
{
    bool selected[DEVICES * PARTS + 1];
    uint32_t parts[DEVICES];
    size_t length = strlen(text);
    struct geo_affinity_shape shape = {(uint32_t)(length % (DEVICES + 1)), parts};
    uint32_t leaves = 0, chosen = 0;
    for (uint32_t i = 0; i < shape.count; i++) {
        parts[i] = (uint32_t)((length + i) % (PARTS + 1));
        leaves += parts[i] ? parts[i] : 1;
    }
    selected[leaves] = false;
    struct geo_strbuf unnamed;
    geo_strbuf_init(&unnamed, 400);
    uint32_t told = geo_affinity_select(text, &shape, selected, &unnamed);
    if (unnamed.length > 400) {
        fuzz_found(FUZZ_WRONG, "the text about a mask has %zu bytes", unnamed.length);
    }
    geo_strbuf_finish(&unnamed);
    for (uint32_t i = 0; i < leaves; i++) {
        chosen += selected[i];
    }
    if (told != chosen || selected[leaves]) {
        fuzz_found(FUZZ_WRONG, "a mask selects %u, of %u leaves %u", told, leaves, chosen);
    }
    return MASK;
}

/* Returns the name as the text has it: relative paths were made absolute. */
static const char *name_in_text(const char *name)
{
    const char *folder = geo_path_folder();
    size_t length = strlen(folder);
    bool below = length && strncmp(name, folder, length) == 0 && name[length] == '/';
    return below ? name + length + 1 : name;
}

/* Checks that the text names every driver of the list. */
static unsigned drivers_run(const char *text)
{
    struct geo_candidates candidates;
    if (!geo_discovery_list(&candidates)) {
        fuzz_found(FUZZ_WRONG, "no list of drivers");
        return DRIVERS;
    }
    for (size_t i = 0; i < candidates.count; i++) {
        if (candidates.items[i].from == GEO_FROM_ALT_DRIVERS &&
            !strstr(text, name_in_text(candidates.items[i].name)) &&
            !strstr(text, candidates.items[i].name)) {
            fuzz_found(FUZZ_WRONG, "a driver that nobody named: %s", candidates.items[i].name);
        }
    }
    geo_candidates_finish(&candidates);
    return DRIVERS;
}

/* How many drivers there are, and of which types, follows from the text's length. */
static unsigned order_run(const char *text)
{
    static const struct geo_library library;
    struct geo_driver_entry entries[9] = {0};
    uint32_t count = (uint32_t)(strlen(text) % 9), seen = 0;
    for (uint32_t i = 0; i < count; i++) {
        entries[i].handle = variable + i;
        entries[i].types = (uint32_t)(strlen(text) * (i + 1)) % 32;
        entries[i].library = &library;
    }
    if (!geo_driver_order_apply(text, entries, count)) {
        fuzz_found(FUZZ_WRONG, "no order of drivers");
        return ORDER;
    }
    for (uint32_t i = 0; i < count; i++) {
        seen |= 1u << ((const char *)entries[i].handle - variable);
    }
    if (seen != (1u << count) - 1 || entries[count].handle) {
        fuzz_found(FUZZ_WRONG, "of %u drivers these are left: %x", count, seen);
    }
    return ORDER;
}

static unsigned variable_run(const uint8_t *bytes, size_t size)
{
    size_t count;
    const struct geo_option *options = geo_option_table(&count);
    char **before = environ;
    unsigned end;
    if (size == 0) {
        return OPTION;
    }
    size_t which = bytes[0] % (count + 3 * FOREIGN);
    bool ours = which < count;
    const char *name = ours ? options[which].name : foreign[(which - count) % FOREIGN];
    const void *zero = memchr(bytes + 1, 0, size - 1);
    size_t length = zero ? (size_t)((const uint8_t *)zero - bytes) - 1 : size - 1;
    const char *text = variable_set(name, bytes + 1, length < TEXT ? length : TEXT);
    environ = variables;
    if (ours) {
        end = option_run(&options[which], text);
    } else if (name == foreign[0]) {
        end = mask_run(text);
    } else if (name == foreign[1]) {
        end = drivers_run(text);
    } else if (name == foreign[2]) {
        end = order_run(text);
    } else {
        end = SWITCH;
        (void)geo_discovery_switch(name);
    }
    environ = before;
    return end;
}

/* ---- texts ---- */

static size_t word_add(struct fuzz_random *random, uint8_t *bytes, size_t size, size_t max_bytes)
{
    static const char *const words[] = {
        ",",
        ",",
        "0",
        "1",
        "0.1",
        "-1",
        "0x10",
        " ",
        "\t",
        "=",
        "true",
        "off",
        "gpu",
        "GPU",
        "NPU",
        "DISCRETE_GPU_ONLY",
        "INTEGRATED_GPU_ONLY",
        ":",
        ":1",
        "cpu",
        "help",
        "warn",
        "trace",
        "all",
        "*",
        "/dev/null",
        "/",
        "..",
        ".",
        "%s%n",
        "\x1b[",
        "\xff",
        "0-3",
        "3,3",
        "1e9",
        "18446744073709551616",
        "x86-64-v3",
        "process",
        "thread",
        "driver=debug",
        "libze_null.so.1",
        "4294967296",
    };
    const char *word = words[fuzz_below(random, sizeof(words) / sizeof(words[0]))];
    char number[24];
    if (fuzz_one_in(random, 3)) {
        snprintf(number, sizeof(number), "%u",
                 fuzz_one_in(random, 2) ? fuzz_below(random, 70) : fuzz_edge(random));
        word = number;
    }
    size_t length = strlen(word);
    if (length > max_bytes - size) {
        return size;
    }
    memcpy(bytes + size, word, length);
    return size + length;
}

static size_t text_seed(struct fuzz_random *random, uint8_t *bytes, size_t max_bytes)
{
    size_t size = 1;
    uint32_t words = fuzz_one_in(random, 64) ? 200 : 1 + fuzz_below(random, 6);
    bytes[0] = (uint8_t)fuzz_next(random);
    for (uint32_t i = 0; i < words; i++) {
        size = word_add(random, bytes, size, max_bytes);
    }
    return size;
}

/* Most texts are left as they are. */
static size_t text_mutate(struct fuzz_random *random, uint8_t *bytes, size_t size, size_t max_bytes)
{
    return fuzz_one_in(random, 4) ? fuzz_mutate_bytes(random, bytes, size, max_bytes) : size;
}

/* All at once, for what is read but once. Files are not named: any would be made and written. */
static bool everything_open(uint64_t number)
{
    struct fuzz_random random = {number ^ 0x656e76};
    uint8_t text[256];
    size_t count;
    const struct geo_option *options = geo_option_table(&count);
    ze_driver_handle_t driver;
    uint32_t one = 1;
    for (size_t i = 0; i < count + 1; i++) {
        size_t size = text_seed(&random, text, sizeof(text) - 1);
        const char *name = i < count ? options[i].name : foreign[0];
        text[size] = '\0';
        if (strcmp(name, "GEOID_LOG_FILE") != 0 && strcmp(name, "GEOID_DUMP") != 0) {
            setenv(name, (const char *)text + 1, 1);
        }
    }
    geo_log("fuzz", GEO_LOG_ERROR, "%s", (const char *)text + 1);
    if (geo_zeInit(0) == ZE_RESULT_SUCCESS && geo_zeDriverGet(&one, &driver) == ZE_RESULT_SUCCESS &&
        one == 1) {
        uint32_t devices = 0;
        (void)geo_zeDeviceGet(driver, &devices, NULL);
    }
    return true;
}

const struct fuzz_target fuzz_target = {
    .name = "environment",
    .ends = {"option", "number", "mask", "drivers", "order", "switch"},
    .block = 1 << 20,
    .max_bytes = 1 << 12,
    .stack_bytes = 65536,
    .quiet = true,
    .open = everything_open,
    .seed = text_seed,
    .mutate = text_mutate,
    .run = variable_run,
};
