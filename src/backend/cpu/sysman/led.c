/* Lights that help to find the machine in a room. The system names a light by device, colour and
 * function ("chassis:blue:identify"). The functions identify, locate, indicator and uid are used.
 * Lights of keyboards, disks and networks are ignored. */
#include "backend/cpu/sysman/classes.h"
#include "backend/cpu/sysman/finding.h"

#include <stdio.h>
#include <string.h>

#define BRIGHTEST INT32_MAX /* larger values are not accepted */

struct led {
    struct geo_sysman_led led; /* first */
    struct geo_tree_path path;
    zes_led_color_t color; /* the colour in its name; all 0 without one */
    int64_t brightest;
};

static struct geo_tree_path led_file(const struct led *led, const char *name)
{
    return geo_tree_path("%s/%s", led->path.text, name);
}

static const struct geo_tree *tree_of(const struct led *led)
{
    return &led->led.base.sysman->tree;
}

/* ---- multi-colour lights ---- */

#define COLORS 3

/* Finds red, green and blue in the light's list of colours. Returns false when the list is not of
 * this kind. */
static bool mix_order(const struct led *led, int order[COLORS])
{
    static const char *const names[COLORS] = {"red", "green", "blue"};
    char text[64], place[COLORS][16];
    if (!geo_tree_text_known(tree_of(led), led_file(led, "multi_index").text, text, sizeof(text)) ||
        sscanf(text, "%15s %15s %15s", place[0], place[1], place[2]) != COLORS) {
        return false;
    }
    for (int i = 0; i < COLORS; i++) {
        order[i] = -1;
        for (int k = 0; k < COLORS; k++) {
            order[i] = strcmp(place[k], names[i]) == 0 ? k : order[i];
        }
        if (order[i] < 0) {
            return false;
        }
    }
    return true;
}

static ze_result_t mix_read(const struct led *led, zes_led_color_t *color, struct geo_strbuf *why)
{
    int order[COLORS];
    unsigned values[COLORS];
    char text[64];
    const struct geo_tree_path path = led_file(led, "multi_intensity");
    ze_result_t result = geo_tree_text(tree_of(led), path.text, text, sizeof(text), why);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    if (!mix_order(led, order) ||
        sscanf(text, "%u %u %u", &values[0], &values[1], &values[2]) != COLORS) {
        geo_strbuf_printf(why, "file %s does not list red, green and blue", path.text);
        return ZE_RESULT_ERROR_UNKNOWN;
    }
    double parts[COLORS];
    for (int i = 0; i < COLORS; i++) {
        parts[i] = (double)values[order[i]] / (double)led->brightest;
        parts[i] = parts[i] > 1 ? 1 : parts[i];
    }
    *color = (zes_led_color_t){parts[0], parts[1], parts[2]};
    return result;
}

static ze_result_t mix_write(const struct led *led, const zes_led_color_t *color,
                             struct geo_strbuf *why)
{
    const double parts[COLORS] = {color->red, color->green, color->blue};
    long long values[COLORS];
    int order[COLORS];
    char text[96];
    if (!mix_order(led, order)) {
        geo_strbuf_printf(why, "file %s does not list red, green and blue",
                          led_file(led, "multi_index").text);
        return ZE_RESULT_ERROR_UNKNOWN;
    }
    for (int i = 0; i < COLORS; i++) {
        double part = parts[i] > 0 ? parts[i] < 1 ? parts[i] : 1 : 0;
        values[order[i]] = (long long)(part * (double)led->brightest + 0.5);
    }
    snprintf(text, sizeof(text), "%lld %lld %lld\n", values[0], values[1], values[2]);
    return geo_tree_write(tree_of(led), led_file(led, "multi_intensity").text, text, why);
}

/* ---- the light ---- */

static ze_result_t led_state(const struct geo_sysman_led *object, zes_led_state_t *state,
                             struct geo_strbuf *why)
{
    const struct led *led = object->base.opaque;
    int64_t brightness;
    zes_led_color_t color = led->color;
    ze_result_t result =
        geo_tree_number(tree_of(led), led_file(led, "brightness").text, &brightness, why);
    if (result == ZE_RESULT_SUCCESS && object->properties.haveRGB) {
        result = mix_read(led, &color, why);
    }
    if (result == ZE_RESULT_SUCCESS) {
        state->isOn = brightness > 0;
        state->color = color;
    }
    return result;
}

static ze_result_t led_set_state(const struct geo_sysman_led *object, const zes_led_state_t *state,
                                 struct geo_strbuf *why)
{
    const struct led *led = object->base.opaque;
    ze_result_t result =
        object->properties.haveRGB ? mix_write(led, &state->color, why) : ZE_RESULT_SUCCESS;
    return result == ZE_RESULT_SUCCESS
               ? geo_tree_write_number(tree_of(led), led_file(led, "brightness").text,
                                       state->isOn ? led->brightest : 0, why)
               : result;
}

static const struct geo_sysman_led_ops led_ops = {
    .state = led_state,
    .set_state = led_set_state,
};

/* ---- finding ---- */

static bool name_is_the_machines(const char *name)
{
    static const char *const functions[] = {"identify", "locate", "indicator", "uid"};
    const char *function = strrchr(name, ':');
    for (size_t i = 0; function && i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strncmp(function + 1, functions[i], strlen(functions[i])) == 0) {
            return true;
        }
    }
    return false;
}

static zes_led_color_t color_of(const char *name)
{
    static const struct {
        const char *name;
        zes_led_color_t color;
    } colors[] = {
        {"white", {1, 1, 1}}, {"red", {1, 0, 0}},      {"green", {0, 1, 0}},
        {"blue", {0, 0, 1}},  {"amber", {1, 0.75, 0}}, {"yellow", {1, 1, 0}},
    };
    const char *end = strrchr(name, ':'), *begin = end;
    while (begin > name && begin[-1] != ':') {
        begin--;
    }
    for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++) {
        size_t length = strlen(colors[i].name);
        if ((size_t)(end - begin) == length && memcmp(begin, colors[i].name, length) == 0) {
            return colors[i].color;
        }
    }
    return (zes_led_color_t){0, 0, 0};
}

void geo_cpu_sysman_find_led(struct geo_finding *finding)
{
    struct geo_tree_names names = geo_finding_names(finding, "/sys/class/leds", "");
    for (uint32_t i = 0; i < names.count; i++) {
        struct led *led = name_is_the_machines(names.names[i])
                              ? geo_finding_add(finding, sizeof(*led), -1, NULL, names.names[i])
                              : NULL;
        if (led) {
            int order[COLORS];
            led->led.base.opaque = led;
            led->led.ops = &led_ops;
            led->path = geo_tree_path("/sys/class/leds/%s", names.names[i]);
            led->color = color_of(names.names[i]);
            led->brightest = geo_tree_known(tree_of(led), led_file(led, "max_brightness").text, 1);
            led->brightest = led->brightest > 0 && led->brightest <= BRIGHTEST ? led->brightest : 1;
            led->led.properties.canControl =
                geo_tree_settable(tree_of(led), led_file(led, "brightness").text);
            led->led.properties.haveRGB = mix_order(led, order);
        }
    }
}
