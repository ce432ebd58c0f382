/* Descriptions of devices from anyone: any bytes as the file. Either it says what is wrong, in one
 * line that can be shown, or there are devices, and everything that they have can be read at any
 * time. */
#include "backend/simulated/check.h"
#include "backend/simulated/file.h"

#include "words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_JSON, REFUSED, DEVICES };

/* ---- what is read of it ---- */

static double times[] = {0, 0.25, 7, 1e4, 1e9};

static void numbers_check(double value)
{
    if (isnan(value)) {
        fuzz_found(FUZZ_WRONG, "a value that is no number");
    }
}

/* Values of the sensors, which are the scripts. */
static void device_read(struct geo_backend_device *device)
{
    struct geo_sysman *sysman;
    uint32_t count;
    if (sim_sysman_ops.open(device, NULL, &sysman) != ZE_RESULT_SUCCESS) {
        fuzz_found(FUZZ_WRONG, "a device that was checked does not open");
        return;
    }
    for (uint32_t kind = 0; kind < GEO_SYSMAN_CLASS_COUNT; kind++) {
        const struct geo_sysman_component *const *list =
            sim_sysman_ops.components(sysman, (enum geo_sysman_class)kind, &count);
        if (sysman->whole.classes[kind] && count != sysman->whole.classes[kind]->count) {
            fuzz_found(FUZZ_WRONG, "components that were checked are not there");
        }
        for (uint32_t i = 0; i < count; i++) {
            struct geo_strbuf why;
            double celsius = 0;
            geo_strbuf_init(&why, 200);
            if (kind == GEO_SYSMAN_TEMPERATURE) {
                const struct geo_sysman_temperature *sensor = (const void *)list[i];
                (void)sensor->ops->state(sensor, &celsius, &why);
                numbers_check(celsius);
            } else if (kind == GEO_SYSMAN_POWER) {
                const struct geo_sysman_power *power = (const void *)list[i];
                zes_power_energy_counter_t energy;
                (void)power->ops->energy(power, &energy, &why);
            }
            geo_strbuf_finish(&why);
        }
    }
    sim_sysman_ops.close(sysman);
}

static void devices_read(struct sim_file *file)
{
    sim_clock_start(true);
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        sim_lock();
        sim_clock_set_ns((uint64_t)(times[i] * 1e9));
        sim_unlock();
        device_read(&file->devices[0]);
        if (!file->devices[file->count - 1].info.parent) {
            device_read(&file->devices[file->count - 1]);
        }
    }
}

static unsigned description_run(const uint8_t *bytes, size_t size)
{
    struct sim_file file = {0};
    struct geo_strbuf problem;
    char *copy = malloc(size + !size);
    if (!copy) {
        return NO_JSON;
    }
    memcpy(copy, bytes, size);
    geo_strbuf_init(&problem, 400);
    problem.shown = true;
    const bool right = sim_file_parse(copy, size, &file, &problem);
    const char *text = geo_strbuf_text(&problem);
    if (right == (problem.length != 0) || strchr(text, '\n')) {
        fuzz_found(FUZZ_WRONG, "%s: \"%s\"", right ? "devices" : "refused", text);
    }
    unsigned end = right ? DEVICES : strstr(text, "devices[") ? REFUSED : NO_JSON;
    if (right) {
        devices_read(&file);
    }
    geo_strbuf_finish(&problem);
    sim_file_finish(&file);
    free(copy);
    return end;
}

/* ---- texts ---- */

static const char *const own_words[] = {"0.001",
                                        "1e18",
                                        "{\"index\": 2, \"plus\": 1}",
                                        "{\"steps\": [[0, 1], [2, 3]]}",
                                        "{\"ramp\": {\"from\": 1, \"to\": 2, \"end_s\": 3}}",
                                        "{\"noise\": {\"amplitude\": 1e18, \"period_s\": 1e-6}}",
                                        "{\"sine\": {\"amplitude\": 2, \"period_s\": 1e12}}",
                                        "{\"counter\": {\"rate_per_s\": 7}}",
                                        "{\"sum\": [1, 2]}",
                                        "\"count\": 3,",
                                        "\"count\": 4096,",
                                        "\"tiles\": 2,",
                                        "\"tile\": 1,",
                                        "\"name\": \"{index}{index}\",",
                                        "\"fan\": [{\"rpm\": 1, \"max_rpm\": 2}],",
                                        "\"celsius\": ",
                                        "\"power_mw\": ",
                                        "\"energy_uj\": ",
                                        "\"oem_serial\": \"o\",",
                                        "\"serial\": \"s\",",
                                        "\"faults\": [{\"at_s\": 1}],",
                                        "\"temperature\": [",
                                        "\"events\": [{\"at_s\": 1, \"event\": \"mem_health\"}],"};

static size_t description_seed(struct fuzz_random *random, uint8_t *bytes, size_t max_bytes)
{
    static const char whole[] =
        "{\"version\": 1, \"devices\": [{\"name\": \"d{index}\", \"count\": 2, \"tiles\": 2,\n"
        "\"power\": [{\"power_mw\": 5, \"limits\": [{\"level\": \"sustained\", \"limit\": 3}]},\n"
        " {\"tile\": 1, \"energy_uj\": {\"counter\": {\"rate_per_s\": 7, \"bits\": 9}}}],\n"
        "\"temperature\": [{\"celsius\": {\"sum\": [1, {\"steps\": [[0, 1], [2, 3]]}]}},\n"
        " {\"celsius\": {\"noise\": {\"mean\": 4, \"amplitude\": 1, \"period_s\": 2}}}],\n"
        "\"fan\": [{\"name\": \"f\", \"rpm\": {\"index\": 2, \"plus\": 1}, \"max_rpm\": 9}],\n"
        "\"ras\": [{\"type\": \"correctable\", \"counters\": [{\"category\": \"reset\", "
        "\"count\": 1}]}],\n"
        "\"faults\": [{\"at_s\": 1, \"component\": \"f\"}]}]}\n";
    return fuzz_one_in(random, 8)
               ? fuzz_words_seed(random, FUZZ_WORDS(own_words), 60, bytes, max_bytes)
               : fuzz_text_put(bytes, 0, max_bytes, whole);
}

/* Puts a value in the place of a number, so that the text stays JSON. */
static size_t value_replace(struct fuzz_random *random, uint8_t *bytes, size_t size,
                            size_t max_bytes)
{
    static const char *const values[] = {
        "0",
        "1",
        "-1",
        "0.5",
        "3",
        "4096",
        "1e18",
        "1e300",
        "\"high\"",
        "null",
        "[]",
        "{}",
        "true",
        "{\"index\": 2, \"plus\": 1}",
        "{\"index\": 1e17}",
        "{\"steps\": [[0, 1], [2, 3]]}",
        "{\"ramp\": {\"from\": 1, \"to\": -2, \"end_s\": 3}}",
        "{\"noise\": {\"amplitude\": 1e18, \"period_s\": 1e-6}}",
        "{\"sine\": {\"amplitude\": 2, \"period_s\": 1e12}}",
        "{\"counter\": {\"rate_per_s\": {\"noise\": {\"amplitude\": 9, \"period_s\": 1}}}}",
        "{\"sum\": [1, {\"sine\": {\"amplitude\": 1e18, \"period_s\": 3}}]}"};
    const char *value = values[fuzz_below(random, sizeof(values) / sizeof(values[0]))];
    const size_t length = strlen(value);
    size_t at = size ? fuzz_below(random, (uint32_t)size) : 0, end;
    while (at < size && !(bytes[at] >= '0' && bytes[at] <= '9')) {
        at++;
    }
    end = at;
    while (end < size && bytes[end] >= '0' && bytes[end] <= '9') {
        end++;
    }
    if (at == size || size - (end - at) + length > max_bytes) {
        return size;
    }
    memmove(bytes + at + length, bytes + end, size - end);
    (void)fuzz_text_put(bytes, at, at + length, value);
    return size - (end - at) + length;
}

static size_t description_mutate(struct fuzz_random *random, uint8_t *bytes, size_t size,
                                 size_t max_bytes)
{
    if (!fuzz_one_in(random, 4)) {
        return value_replace(random, bytes, size, max_bytes);
    }
    return fuzz_one_in(random, 2)
               ? fuzz_mutate_bytes(random, bytes, size, max_bytes)
               : fuzz_words_insert(random, FUZZ_WORDS(own_words), bytes, size, max_bytes);
}

const struct fuzz_target fuzz_target = {
    .name = "simulated",
    .ends = {"no JSON", "refused", "devices"},
    .block = 1 << 14,
    .max_bytes = 1 << 13,
    .quiet = true,
    .seed = description_seed,
    .mutate = description_mutate,
    .run = description_run,
};
