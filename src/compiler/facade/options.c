/* Parsing of build flags. See options.h. */
#include "compiler/facade/options.h"

#include <string.h>

enum flag_kind {
    FLAG_IGNORED,
    FLAG_IGNORED_WITH_VALUE, /* the next word is its value */
    FLAG_OPT_DISABLE,
    FLAG_OPT_LEVEL,
    FLAG_DEBUG,
    FLAG_CORRECT_DIVIDE,
    FLAG_MAD,
};

static const struct flag {
    const char *name; /* ending in '=': a prefix */
    enum flag_kind kind;
} flags[] = {
    {"-ze-opt-disable", FLAG_OPT_DISABLE},
    {"-cl-opt-disable", FLAG_OPT_DISABLE},
    {"-ze-opt-level=", FLAG_OPT_LEVEL},
    {"-g", FLAG_DEBUG},
    {"-ze-fp32-correctly-rounded-divide-sqrt", FLAG_CORRECT_DIVIDE},
    {"-cl-fp32-correctly-rounded-divide-sqrt", FLAG_CORRECT_DIVIDE},
    {"-cl-mad-enable", FLAG_MAD},
    {"-ze-opt-greater-than-4GB-buffer-required", FLAG_IGNORED},
    {"-ze-opt-large-register-file", FLAG_IGNORED},
    {"-ze-opt-has-buffer-offset-arg", FLAG_IGNORED},
    {"-ze-take-global-address", FLAG_IGNORED},
    {"-ze-collect-cost-info", FLAG_IGNORED},
    {"-ze-intel-enable-auto-large-GRF-mode", FLAG_IGNORED},
    {"-ze-intel-greater-than-4GB-buffer-required", FLAG_IGNORED},
    {"-ze-intel-has-buffer-offset-arg", FLAG_IGNORED},
    {"-ze-exp-register-file-size=", FLAG_IGNORED},
    {"-zet-profile-flags", FLAG_IGNORED_WITH_VALUE},
    {"-library-compilation", FLAG_IGNORED},
    {"-ze-library-compilation", FLAG_IGNORED},
    {"-ze-kernel-scheduling-mode-", FLAG_IGNORED},
    {"-igc_opts", FLAG_IGNORED_WITH_VALUE},
    {"-device", FLAG_IGNORED_WITH_VALUE},
    {"-cl-kernel-arg-info", FLAG_IGNORED},
    {"-cl-denorms-are-zero", FLAG_IGNORED},
    {"-cl-no-signed-zeros", FLAG_IGNORED},
    {"-cl-unsafe-math-optimizations", FLAG_IGNORED},
    {"-cl-finite-math-only", FLAG_IGNORED},
    {"-cl-fast-relaxed-math", FLAG_IGNORED},
    {"-cl-std=", FLAG_IGNORED},
    {"-cl-intel-greater-than-4GB-buffer-required", FLAG_IGNORED},
    {"-cl-intel-enable-auto-large-GRF-mode", FLAG_IGNORED},
    {"-w", FLAG_IGNORED},
    {"-Werror", FLAG_IGNORED},
};

/* The next word of *text, quotes kept together; its length, 0 at the end. */
static size_t word_next(const char **text)
{
    const char *at = *text + strspn(*text, " \t\n");
    const char *end = at;
    char quote = 0;
    while (*end && (quote || !strchr(" \t\n", *end))) {
        if (quote ? *end == quote : *end == '\'' || *end == '"') {
            quote = quote ? 0 : *end;
        }
        end++;
    }
    *text = at;
    return (size_t)(end - at);
}

static const struct flag *flag_find(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        size_t known = strlen(flags[i].name);
        char last = flags[i].name[known - 1];
        bool prefix = last == '=' || last == '-';
        if (strncmp(flags[i].name, word, known) == 0 && length >= known &&
            (prefix || length == known)) {
            return &flags[i];
        }
    }
    return NULL;
}

static void flag_apply(const struct flag *flag, const char *word, size_t length,
                       struct geo_build_options *options, struct geo_strbuf *log)
{
    size_t known = strlen(flag->name);
    switch (flag->kind) {
    case FLAG_OPT_DISABLE:
        options->optimize = false;
        break;
    case FLAG_OPT_LEVEL:
        if (length != known + 1 || word[known] < '0' || word[known] > '2') {
            geo_strbuf_printf(log, "warning: '%.*s': levels are 0 to 2\n", (int)length, word);
        } else {
            options->optimize = word[known] != '0';
        }
        break;
    case FLAG_DEBUG:
        options->debug = true;
        break;
    case FLAG_CORRECT_DIVIDE:
        options->correctly_rounded_divide_sqrt = true;
        break;
    case FLAG_MAD:
        options->mad_enable = true;
        break;
    default:
        break;
    }
}

void geo_build_options_parse(const char *text, struct geo_build_options *options,
                             struct geo_strbuf *log)
{
    *options = (struct geo_build_options){.optimize = true};
    size_t length;
    while (text && (length = word_next(&text)) > 0) {
        const struct flag *flag = flag_find(text, length);
        if (flag) {
            flag_apply(flag, text, length, options, log);
        } else {
            geo_strbuf_printf(log, "warning: build flag '%.*s' is unknown and ignored\n",
                              (int)(length < 200 ? length : 200), text);
        }
        text += length;
        if (flag && flag->kind == FLAG_IGNORED_WITH_VALUE) {
            text += word_next(&text);
        }
    }
}
