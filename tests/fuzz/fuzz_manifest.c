/* Manifests of drivers from anyone: any bytes as the file. It names a library or says why not; what
 * it names has a name, and what comes of its strings is UTF-8 without control over who reads it. */
#include "loader/discovery/manifest.h"
#include "loader/discovery/members.h"

#include "words.h"

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
    struct geo_member member = {.key = "library"};
    char problem[160] = "", *copy = malloc(size + !size);
    if (!copy) {
        return false;
    }
    memcpy(copy, bytes, size);
    bool right = geo_members_read(copy, size, &member, 1, problem, sizeof(problem));
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

static const char *const own_words[] = {
    "\"1.0\"",  "\"1.17\"",         "\"2.0\"",
    "\"x.so\"", "\"library\":",     "\"name\":",
    "\"a/b\"",  "\"api_version\":", "\"file_format_version\":",
};

/* A manifest, or words that are in some. */
static size_t text_seed(struct fuzz_random *random, uint8_t *bytes, size_t max_bytes)
{
    static const char whole[] = "{\"file_format_version\": \"1.0\", \"library\": \"../lib/x.so\",\n"
                                "\"api_version\": \"1.17\", \"name\": \"\\u0058 \xc3\xa9\", "
                                "\"more\": [1.5e3, {\"a\": null}, [], \"\\ud83d\\ude00\"]}\n";
    return fuzz_one_in(random, 4)
               ? fuzz_words_seed(random, FUZZ_WORDS(own_words), 40, bytes, max_bytes)
               : fuzz_text_put(bytes, 0, max_bytes, whole);
}

static size_t text_mutate(struct fuzz_random *random, uint8_t *bytes, size_t size, size_t max_bytes)
{
    return fuzz_one_in(random, 2)
               ? fuzz_mutate_bytes(random, bytes, size, max_bytes)
               : fuzz_words_insert(random, FUZZ_WORDS(own_words), bytes, size, max_bytes);
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
