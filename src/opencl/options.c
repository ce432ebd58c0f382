/* Build options of OpenCL. Words may be quoted with "..." or escaped with a backslash. */
#include "opencl/options.h"

#include "base/array.h"
#include "clang/clang.h"

#include <stdlib.h>
#include <string.h>

/* Reads one word. Returns where it ends, or NULL if memory ran out; *word is NULL at the end. */
static const char *word_read(const char *at, char **word)
{
    char quote = 0;
    size_t count = 0;
    *word = NULL;
    at += strspn(at, " \t\n\r");
    if (!*at) {
        return at;
    }
    *word = malloc(strlen(at) + 1);
    if (!*word) {
        return NULL;
    }
    for (; *at && (quote || !strchr(" \t\n\r", *at)); at++) {
        if (quote ? *at == quote : *at == '"') {
            quote = quote ? 0 : *at;
        } else if (*at == '\\' && (at[1] == '"' || at[1] == '\\' || at[1] == ' ')) {
            (*word)[count++] = *++at;
        } else {
            (*word)[count++] = *at;
        }
    }
    (*word)[count] = '\0';
    return at;
}

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++) {
        size_t count = strlen(*list);
        bool begins = (*list)[count - 1] == '=' || (*list)[count - 1] == '-';
        if (begins ? strncmp(word, *list, count) == 0 : strcmp(word, *list) == 0) {
            return true;
        }
    }
    return false;
}

bool geo_ocl_options_clang(struct geo_ocl_options *options, const char *word)
{
    if (!geo_array_reserve(&options->clang, 1)) {
        return false;
    }
    char *copy = strdup(word);
    if (copy) {
        options->clang.items[options->clang.count++] = copy;
    }
    return copy != NULL;
}

/* Flags that zeModuleCreate takes too. */
static const char *const both[] = {"-cl-fast-relaxed-math",
                                   "-cl-finite-math-only",
                                   "-cl-unsafe-math-optimizations",
                                   "-cl-mad-enable",
                                   "-cl-no-signed-zeros",
                                   "-cl-denorms-are-zero",
                                   "-cl-fp32-correctly-rounded-divide-sqrt",
                                   NULL};

/* Flags without a meaning here. */
static const char *const ignored[] = {"-cl-strict-aliasing",
                                      "-cl-no-subgroup-ifp",
                                      "-enable-link-options",
                                      "-spir-std=",
                                      "-cl-intel-",
                                      "-x=",
                                      "-O0",
                                      "-O1",
                                      "-O2",
                                      "-O3",
                                      NULL};

/* Gives one word to whom it is for. *next: the word after it, which it may take. */
static bool word_take(struct geo_ocl_options *options, const char *word, const char *next,
                      bool *takes_next)
{
    bool more = false, good = true;
    *takes_next = false;
    if (strcmp(word, "-create-library") == 0) {
        options->makes_library = true;
    } else if (strcmp(word, "-cl-opt-disable") == 0) {
        options->optimizes = false;
        geo_strbuf_printf(&options->module, " -ze-opt-disable");
    } else if (strcmp(word, "-g") == 0 || strncmp(word, "-ze-", 4) == 0) {
        geo_strbuf_printf(&options->module, " %s", word);
    } else if (strcmp(word, "-x") == 0) { /* "-x spir": the program is IL */
        *takes_next = next != NULL;
    } else if (geo_clang_takes(word, &more) && (!more || next)) {
        options->has_standard = options->has_standard || strncmp(word, "-cl-std=", 8) == 0;
        good =
            geo_ocl_options_clang(options, word) && (!more || geo_ocl_options_clang(options, next));
        *takes_next = more;
        if (is_one_of(word, both)) {
            geo_strbuf_printf(&options->module, " %s", word);
        }
    } else if (!is_one_of(word, ignored) && !options->unknown) {
        options->unknown = word;
    }
    return good;
}

bool geo_ocl_options_read(struct geo_ocl_options *options, const char *text)
{
    *options = (struct geo_ocl_options){.optimizes = true};
    geo_strbuf_init(&options->module, 0);
    for (const char *at = text ? text : ""; *at;) {
        char *word;
        at = word_read(at, &word);
        if (!at || (word && !geo_array_reserve(&options->words, 1))) {
            free(word);
            return false;
        }
        if (word) {
            options->words.items[options->words.count++] = word;
        }
    }
    for (size_t i = 0; i < options->words.count; i++) {
        const char *next = i + 1 < options->words.count ? options->words.items[i + 1] : NULL;
        bool takes_next;
        if (!word_take(options, options->words.items[i], next, &takes_next)) {
            return false;
        }
        i += takes_next;
    }
    return !options->module.truncated;
}

void geo_ocl_options_finish(struct geo_ocl_options *options)
{
    for (size_t i = 0; i < options->words.count; i++) {
        free(options->words.items[i]);
    }
    for (size_t i = 0; i < options->clang.count; i++) {
        free(options->clang.items[i]);
    }
    geo_array_finish(&options->words);
    geo_array_finish(&options->clang);
    geo_strbuf_finish(&options->module);
}
