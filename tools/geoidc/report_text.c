/* The report as text for people. See report.h. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static long long number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* Prints the name of a row. */
static void row(FILE *out, const char *name)
{
    fprintf(out, "  %-14s", name);
}

/* Prints a place in the source, as wide as `width`. */
static void place_print(FILE *out, const json_t *object, int width)
{
    const char *file = text_of(object, "file"), *slash = strrchr(file, '/');
    char place[256] = "";
    long long line = number_of(object, "line"), call = number_of(object, "inlined_line");
    if (line) {
        int used = snprintf(place, sizeof(place), "%.200s:%lld", slash ? slash + 1 : file, line);
        if (call && used > 0 && (size_t)used < sizeof(place)) {
            snprintf(place + used, sizeof(place) - (size_t)used, " (called in line %lld)", call);
        }
    }
    fprintf(out, "%-*s", width, place);
}

/* ---- rows ---- */

static void width_print(FILE *out, const json_t *kernel)
{
    const json_t *steps = json_object_get(kernel, "width");
    row(out, "width");
    fprintf(out, "%lld\n", number_of(kernel, "lanes"));
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *step = json_array_get(steps, i);
        row(out, "");
        fprintf(out, "  %lld: %s\n", number_of(step, "lanes"), text_of(step, "why"));
    }
    const json_t *costs = json_object_get(kernel, "costs");
    for (size_t i = 0; i < json_array_size(costs); i++) {
        const json_t *cost = json_array_get(costs, i);
        const json_t *times = json_object_get(cost, "times");
        row(out, "");
        fprintf(out, "  cost model %s: ", text_of(cost, "model"));
        if (times) {
            long long lanes = number_of(cost, "lanes");
            fprintf(out, "time %lld at %lld, %lld at %lld, %lld at %lld\n",
                    json_integer_value(json_array_get(times, 0)), lanes,
                    json_integer_value(json_array_get(times, 1)), 2 * lanes,
                    json_integer_value(json_array_get(times, 2)), 4 * lanes);
        } else {
            fprintf(out, "a vector takes %lld, its work-items one after another %lld\n",
                    number_of(cost, "chunk"), number_of(cost, "items"));
        }
    }
}

static void sizes_print(FILE *out, const json_t *kernel)
{
    const json_t *p = json_object_get(kernel, "properties");
    long long x = number_of(p, "requiredGroupSizeX"), size = number_of(p, "requiredSubgroupSize");
    row(out, "sub-group");
    fprintf(out, "%lld%s\n", number_of(p, "maxSubgroupSize"), size ? ", required" : "");
    row(out, "work-group");
    if (x) {
        fprintf(out, "%lld x %lld x %lld, required\n", x, number_of(p, "requiredGroupSizeY"),
                number_of(p, "requiredGroupSizeZ"));
    } else {
        fprintf(out, "any size; best are multiples of %lld\n", number_of(p, "preferredMultiple"));
    }
    row(out, "memory");
    fprintf(out, "local %lld bytes, private %lld bytes per work-item\n",
            number_of(p, "localMemSize"), number_of(p, "privateMemSize"));
}

static void code_print(FILE *out, const json_t *kernel)
{
    const json_t *code = json_object_get(kernel, "code");
    const json_t *uses = json_object_get(kernel, "uses");
    if (code) {
        row(out, "code");
        fprintf(out, "%lld instructions, %lld bytes of stack\n", number_of(code, "instructions"),
                number_of(code, "stack"));
        row(out, "spills");
        fprintf(out, "%lld stores and %lld loads of registers, %lld bytes per thread\n",
                number_of(code, "spills"), number_of(code, "reloads"),
                number_of(json_object_get(kernel, "properties"), "spillMemSize"));
    }
    if (json_array_size(uses)) {
        row(out, "uses");
        for (size_t i = 0; i < json_array_size(uses); i++) {
            fprintf(out, "%s%s", i ? ", " : "", json_string_value(json_array_get(uses, i)));
        }
        fprintf(out, "\n");
    }
}

static void control_print(FILE *out, const json_t *kernel)
{
    const json_t *masks = json_object_get(kernel, "masks");
    const json_t *regions = json_object_get(kernel, "regions");
    const json_t *variants = json_object_get(kernel, "variants");
    if (masks) {
        row(out, "masks");
        fprintf(out, "%lld of %lld blocks run under a mask\n", number_of(masks, "masked"),
                number_of(masks, "blocks"));
    }
    if (regions) {
        row(out, "barriers");
        fprintf(out, "%zu, %lld regions\n", json_array_size(json_object_get(kernel, "barriers")),
                number_of(regions, "count"));
    }
    if (json_array_size(variants)) {
        row(out, "form");
        for (size_t i = 0; i < json_array_size(variants); i++) {
            const json_t *variant = json_array_get(variants, i);
            fprintf(out, "%s%s: %s", i ? ", " : "", text_of(variant, "level"),
                    text_of(variant, "name"));
        }
        fprintf(out, "\n");
    }
}

static void accesses_print(FILE *out, const json_t *object)
{
    const json_t *list = json_object_get(object, "accesses");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *access = json_array_get(list, i);
        row(out, i ? "" : "accesses");
        place_print(out, access, 20);
        fprintf(out, " %-8s %-8s %3lld bytes  %s%s\n", text_of(access, "op"),
                text_of(access, "space"), number_of(access, "bytes"), text_of(access, "class"),
                json_is_true(json_object_get(access, "masked")) ? ", masked" : "");
    }
}

static void hindrances_print(FILE *out, const json_t *object)
{
    const json_t *list = json_object_get(object, "hindrances");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *hindrance = json_array_get(list, i);
        row(out, i ? "" : "hindered by");
        if (number_of(hindrance, "line")) {
            place_print(out, hindrance, 20);
            fprintf(out, " ");
        }
        fprintf(out, "%s\n", text_of(hindrance, "what"));
    }
}

char *report_text(const json_t *document)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    const json_t *kernels = json_object_get(document, "kernels");
    const json_t *functions = json_object_get(document, "functions");
    fprintf(out, "%s for %s\n", text_of(document, "input"), text_of(document, "target"));
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        const json_t *kernel = json_array_get(kernels, i);
        fprintf(out, "\nkernel %s\n", text_of(kernel, "name"));
        width_print(out, kernel);
        sizes_print(out, kernel);
        code_print(out, kernel);
        control_print(out, kernel);
        accesses_print(out, kernel);
        hindrances_print(out, kernel);
    }
    for (size_t i = 0; i < json_array_size(functions); i++) {
        const json_t *function = json_array_get(functions, i);
        fprintf(out, "\nfunction %s\n", text_of(function, "name"));
        accesses_print(out, function);
        hindrances_print(out, function);
    }
    if (fclose(out) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}
