/* Manifests of drivers from anyone: any bytes as the file. It names a library or says why not; what
 * it names has a name, and what comes of its strings is UTF-8 without control over who reads it. */
#include "loader/json.h"
#include "loader/manifest.h"

#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMED, NO_JSON, NO_MANIFEST };

static int file = -1; /* a memory file */
static char path[32];

static bool file_open(uint64_t number)
{
    (void)number;
    file = memfd_create("manifest", MFD_CLOEXEC);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    return file >= 0 && fchmod(file, 0600) == 0;
}

/* The same bytes without a file, in memory of just their size. */
static bool is_json(const uint8_t *bytes, size_t size)
{
    struct geo_json_member member = {.key = "library"};
    char problem[160] = "", *copy = malloc(size + 1);
    if (!copy) {
        return false;
    }
    memcpy(copy, bytes, size);
    bool right = geo_json_read(copy, size, &member, 1, problem, sizeof(problem));
    if (right && member.text &&
        (member.text < copy || member.text + strlen(member.text) > copy + size)) {
        fuzz_found(FUZZ_WRONG, "a string that lies elsewhere");
    }
    if (right != (problem[0] == '\0')) {
        fuzz_found(FUZZ_WRONG, "a refusal without a reason, or a reason without a refusal");
    }
    free(copy);
    return right;
}

static void candidate_check(const struct geo_candidate *candidate)
{
    bool named = !candidate->refusal;
    if (!candidate->name || !candidate->manifest || strcmp(candidate->manifest, path) != 0) {
        fuzz_found(FUZZ_WRONG, "a candidate without a name");
    } else if (named && (!candidate->name[0] || candidate->declared >> 16 > UINT16_MAX)) {
        fuzz_found(FUZZ_WRONG, "a library without a name");
    } else if (!named && (!candidate->refusal[0] || strcmp(candidate->name, path) != 0)) {
        fuzz_found(FUZZ_WRONG, "a refusal without a reason");
    }
}

static unsigned manifest_run(const uint8_t *bytes, size_t size)
{
    struct geo_candidate candidate;
    if (ftruncate(file, 0) != 0 || pwrite(file, bytes, size, 0) != (ssize_t)size) {
        return NO_JSON;
    }
    bool right = is_json(bytes, size);
    if (!geo_manifest_read(path, &candidate)) {
        fuzz_found(FUZZ_WRONG, "no candidate");
        return NO_JSON;
    }
    candidate_check(&candidate);
    unsigned end = !candidate.refusal ? NAMED : right ? NO_MANIFEST : NO_JSON;
    if (end == NAMED && !right) {
        fuzz_found(FUZZ_WRONG, "a manifest that is no JSON");
    }
    geo_candidate_finish(&candidate);
    return end;
}

/* ---- texts ---- */

static size_t word_add(struct fuzz_random *random, uint8_t *bytes, size_t size, size_t max_bytes)
{
    static const char *const words[] = {
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\\u",
        "\\ud83d\\ude00",
        "\\ud800",
        "0000",
        "\n",
        " ",
        "\"a\":",
        "1e5",
        "-0.5",
        "true",
        "null",
        "\"1.0\"",
        "\"1.17\"",
        "\"2.0\"",
        "\"x.so\"",
        "\"library\":",
        "\"name\":",
        "\"api_version\":",
        "\"file_format_version\":",
        "\"a/b\"",
        "\xc3\xa9",
        "\xff",
        "\xed\xa0\x80",
        "[[[[[[[[",
        "{\"a\":{\"a\":",
    };
    const char *word = words[fuzz_below(random, sizeof(words) / sizeof(words[0]))];
    size_t length = strlen(word);
    if (length > max_bytes - size) {
        return size;
    }
    for (size_t i = 0; i < length; i++) {
        bytes[size + i] = (uint8_t)word[i];
    }
    return size + length;
}

/* A manifest, or words that are in some. */
static size_t text_seed(struct fuzz_random *random, uint8_t *bytes, size_t max_bytes)
{
    static const char whole[] = "{\"file_format_version\": \"1.0\", \"library\": \"../lib/x.so\",\n"
                                "\"api_version\": \"1.17\", \"name\": \"\\u0058 \xc3\xa9\", "
                                "\"more\": [1.5e3, {\"a\": null}, [], \"\\ud83d\\ude00\"]}\n";
    size_t size = 0;
    if (!fuzz_one_in(random, 4) && sizeof(whole) <= max_bytes) {
        return (size_t)snprintf((char *)bytes, max_bytes, "%s", whole);
    }
    for (uint32_t words = fuzz_below(random, 40); words; words--) {
        size = word_add(random, bytes, size, max_bytes);
    }
    return size;
}

static size_t text_mutate(struct fuzz_random *random, uint8_t *bytes, size_t size, size_t max_bytes)
{
    uint8_t word[32];
    if (fuzz_one_in(random, 2)) {
        return fuzz_mutate_bytes(random, bytes, size, max_bytes);
    }
    size_t length = word_add(random, word, 0, sizeof(word));
    size_t at = fuzz_below(random, (uint32_t)size + 1);
    if (length > max_bytes - size) {
        return size;
    }
    memmove(bytes + at + length, bytes + at, size - at);
    memcpy(bytes + at, word, length);
    return size + length;
}

const struct fuzz_target fuzz_target = {
    .name = "manifest",
    .ends = {"named", "no JSON", "no manifest"},
    .block = 1 << 16,
    .max_bytes = 1 << 12,
    .quiet = true,
    .open = file_open,
    .seed = text_seed,
    .mutate = text_mutate,
    .run = manifest_run,
};
