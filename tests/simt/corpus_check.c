/* Implements corpus_check.h. */
#include "corpus_check.h"

#include "formats.h"
#include "maths.h"

#include "level.h"
#include "native/surface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BITS    "bits"
#define BITS_V4 "bits-v4"

/* ---- the list ---- */

bool corpus_check_open(struct corpus_check *check, const char *results, const char *list)
{
    FILE *stream = fopen(list, "r");
    char line[300];
    check->results = results;
    if (!stream) {
        fprintf(stderr, "cannot read %s\n", list);
        return false;
    }
    while (fgets(line, sizeof(line), stream) && check->listed_count < CORPUS_LISTED) {
        struct corpus_listed *entry = &check->list[check->listed_count];
        if (line[0] != '#' && sscanf(line, "%95s %159[^\n]", entry->name, entry->reason) == 2) {
            check->listed_count++;
        }
    }
    fclose(stream);
    return true;
}

static struct corpus_listed *list_find(struct corpus_check *check, const char *file,
                                       const char *kernel)
{
    char name[96];
    snprintf(name, sizeof(name), "%s.%s", file, kernel);
    for (size_t i = 0; i < check->listed_count; i++) {
        if (strcmp(check->list[i].name, name) == 0) {
            return &check->list[i];
        }
    }
    return NULL;
}

void corpus_check_note(struct corpus_check *check, const char *file, const char *kernel,
                       const char *producer, bool good, const char *text)
{
    struct corpus_listed *entry = list_find(check, file, kernel);
    if (entry) {
        entry->seen = true;
        entry->failed |= !good;
    }
    if (good) {
        check->passed++;
    } else if (entry && strstr(text, entry->reason)) {
        check->refused++;
    } else {
        check->wrong++;
        fprintf(stderr, "FAILED %s.%s.%s: %s\n", file, kernel, producer, text);
    }
}

void corpus_check_list(struct corpus_check *check)
{
    for (size_t i = 0; i < check->listed_count; i++) {
        const struct corpus_listed *entry = &check->list[i];
        if (entry->seen && !entry->failed && strcmp(entry->reason, BITS_V4) != 0) {
            fprintf(stderr, "FAILED %s: it passes: remove it from the list\n", entry->name);
            check->wrong++;
        }
    }
}

/* ---- comparing ---- */

static bool compare_file(const struct corpus_run *got, const char *path, bool exact,
                         const char *with, char *text)
{
    struct corpus_run expected;
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        snprintf(text, CORPUS_TEXT, "%s: there is no %s", with, path);
        return false;
    }
    corpus_run_init(&expected, got->test, got->shape);
    int used = snprintf(text, CORPUS_TEXT, "against %s: ", with);
    bool good =
        corpus_outputs_read(&expected, stream) &&
        corpus_outputs_equal(got, &expected, exact, text + used, CORPUS_TEXT - (size_t)used);
    fclose(stream);
    corpus_run_finish(&expected);
    return good;
}

static bool compare_reference(const struct corpus_check *check, const char *file,
                              const struct corpus_run *run, size_t shape, char *text)
{
    const struct corpus_case *test = run->test;
    char path[4200];
    if (test->maths) {
        return corpus_maths_check(run, text, CORPUS_TEXT);
    }
    if (test->expect) {
        struct corpus_run expected;
        corpus_run_init(&expected, test, run->shape);
        test->expect(&expected);
        bool good = corpus_outputs_equal(run, &expected, false, text, CORPUS_TEXT);
        corpus_run_finish(&expected);
        return good;
    }
    corpus_path(path, sizeof(path), check->results, file, test->kernel, shape, ".bin");
    return compare_file(run, path, false, "the reference", text);
}

static bool compare_one_lane(const struct corpus_check *check, const char *file,
                             const char *producer, const struct corpus_run *run, size_t shape,
                             char *text)
{
    char folder[2048], path[4200], suffix[32];
    const char *single = getenv("CORPUS_SINGLE");
    if (run->test->flags & CORPUS_WIDTH_FREE) {
        return true;
    }
    snprintf(folder, sizeof(folder), "%s/%s", check->results, single ? single : "one-lane");
    snprintf(suffix, sizeof(suffix), ".%s.bin", producer);
    corpus_path(path, sizeof(path), folder, file, run->test->kernel, shape, suffix);
    return compare_file(run, path, true, "one lane", text);
}

/* Returns true if the kernel of this entry may differ from one lane in its last bits. */
static bool may_differ(const struct corpus_listed *entry)
{
    return strcmp(entry->reason, BITS) == 0 ||
           (strcmp(entry->reason, BITS_V4) == 0 && level_runs("x86-64-v4"));
}

bool corpus_check_run(struct corpus_check *check, const char *file, const char *producer,
                      const struct corpus_run *run, size_t shape, char *text)
{
    struct corpus_listed *entry = list_find(check, file, run->test->kernel);
    /* A processor without fma rounds a product before the sum, a GPU does not. The oracle of maths
     * checks both. */
    bool other_bits = run->test->maths && !level_runs("x86-64-v3");
    if (other_bits && entry && may_differ(entry)) {
        entry->failed = true;
    } else if (!other_bits && !compare_one_lane(check, file, producer, run, shape, text)) {
        if (!entry || !may_differ(entry)) {
            return false;
        }
        entry->failed = true;
    }
    return compare_reference(check, file, run, shape, text);
}

/* ---- images ---- */

void corpus_check_surface(struct geo_surface *surface, const struct corpus_image *image,
                          uint64_t address)
{
    if (!geo_surface_set_format(surface, &corpus_formats[image->format], false)) {
        abort();
    }
    memcpy(&surface->pixels, &address, sizeof(address));
    surface->width = image->extents[0];
    surface->height = image->dims > 1 ? image->extents[1] : 1;
    surface->depth = image->dims > 2 ? image->extents[2] : 1;
    surface->layers = image->array ? image->extents[image->dims] : 1;
    surface->levels = 1;
    surface->row_pitch = surface->width * surface->pixel_bytes;
    surface->slice_pitch = (uint64_t)surface->row_pitch * surface->height;
}
