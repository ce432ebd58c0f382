/* Build options. See build_options.h. */
#include "driver/program/build_options.h"

#include <string.h>

/* What clients are known to send. A name that ends in '=' takes its value in the same word; `value`
 * says that the next word belongs to the option. Options that concern GPU hardware are accepted
 * without effect (MOD-3). */
static const struct build_option {
    const char *name;
    bool value;
} build_options[] = {
    {"-ze-opt-disable", false},
    {"-ze-opt-level", true},
    {"-ze-opt-level=", false},
    {"-ze-opt-greater-than-4GB-buffer-required", false},
    {"-ze-opt-large-register-file", false},
    {"-ze-opt-has-buffer-offset-arg", false},
    {"-ze-opt-large-grf-kernel", true},
    {"-ze-opt-regular-grf-kernel", true},
    {"-ze-intel-", false},
    {"-ze-exp-register-file-size", true},
    {"-ze-exp-register-file-size=", false},
    {"-ze-take-global-address", false},
    {"-ze-fp32-correctly-rounded-divide-sqrt", false},
    {"-ze-denorms-are-zero", false},
    {"-ze-library-compilation", false},
    {"-ze-collect-cost-info", false},
    {"-zet-profile-flags", true},
    {"-g", false},
    {"-O", false},
    {"-w", false},
    {"-Werror", false},
    {"-D", false},
    {"-igc_opts", true},
    {"-library-compilation", false},
    {"-vc-", false},
    {"-cl-std=", false},
    {"-cl-opt-disable", false},
    {"-cl-mad-enable", false},
    {"-cl-no-signed-zeros", false},
    {"-cl-unsafe-math-optimizations", false},
    {"-cl-finite-math-only", false},
    {"-cl-fast-relaxed-math", false},
    {"-cl-denorms-are-zero", false},
    {"-cl-single-precision-constant", false},
    {"-cl-uniform-work-group-size", false},
    {"-cl-fp32-correctly-rounded-divide-sqrt", false},
    {"-cl-kernel-arg-info", false},
    {"-cl-intel-", false},
    {"-cl-store-cache-default=", false},
    {"-cl-load-cache-default=", false},
};

#define OPTION_COUNT (sizeof(build_options) / sizeof(build_options[0]))

/* Names that end in '=' or '-', and the compiler's own letters, stand for everything they begin. */
static bool option_matches(const struct build_option *option, const char *word, size_t length)
{
    size_t name = strlen(option->name);
    char last = option->name[name - 1];
    bool prefix = last == '=' || last == '-' || strcmp(option->name, "-D") == 0 ||
                  strcmp(option->name, "-O") == 0;
    return length >= name && memcmp(word, option->name, name) == 0 && (prefix || length == name);
}

static const struct build_option *option_find(const char *word, size_t length)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (option_matches(&build_options[i], word, length)) {
            return &build_options[i];
        }
    }
    return NULL;
}

/* The next word; quotes of either kind keep blanks inside. False at the end. */
static bool word_next(const char **at, const char **word, size_t *length)
{
    const char *p = *at;
    while (*p == ' ' || *p == '\t' || *p == '\n') {
        p++;
    }
    *word = p;
    char quote = 0;
    for (; *p && (quote || (*p != ' ' && *p != '\t' && *p != '\n')); p++) {
        if (quote ? *p == quote : *p == '\'' || *p == '"') {
            quote = quote ? 0 : *p;
        }
    }
    *length = (size_t)(p - *word);
    *at = p;
    return *length > 0;
}

void geo_build_options_check(const char *options, struct geo_strbuf *log)
{
    const char *at = options ? options : "";
    const char *word;
    size_t length;
    while (word_next(&at, &word, &length)) {
        const struct build_option *option = option_find(word, length);
        if (!option) {
            geo_strbuf_printf(log, "warning: build option %.*s is not known and has no effect\n",
                              (int)(length < 200 ? length : 200), word);
        } else if (option->value && !word_next(&at, &word, &length)) {
            geo_strbuf_printf(log, "warning: build option %s lacks its value\n", option->name);
        }
    }
}
