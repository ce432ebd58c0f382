/* The program zeinfo, --check: the order of the checks, and their output. See check.h. */
#include "check.h"
#include "emit.h"

#include <stdio.h>
#include <string.h>

static const char *outcome_name(enum check_outcome outcome)
{
    return outcome == CHECK_OK ? "ok" : outcome == CHECK_NOTE ? "note" : "failed";
}

static size_t outcome_count(const struct check_list *list, enum check_outcome outcome)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        count += list->items[i].outcome == outcome;
    }
    return count;
}

/* Prints a line per finding, and one for what the user can do. */
static bool text_print(const struct check_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct check_finding *finding = &list->items[i];
        printf("%-7s %-14s %s\n", outcome_name(finding->outcome), finding->name, finding->detail);
        if (*finding->remedy) {
            printf("%-7s %-14s -> %s\n", "", "", finding->remedy);
        }
    }
    const size_t failed = outcome_count(list, CHECK_FAILED),
                 notes = outcome_count(list, CHECK_NOTE);
    printf("%zu failed, %zu note%s, %zu ok\n", failed, notes, notes == 1 ? "" : "s",
           outcome_count(list, CHECK_OK));
    return fflush(stdout) == 0 && !ferror(stdout);
}

static bool json_print(const struct check_list *list)
{
    struct emit *emit = emit_json_create();
    if (!emit) {
        return false;
    }
    emit_begin(emit, NULL, EMIT_OBJECT);
    emit_begin(emit, "checks", EMIT_LIST);
    for (size_t i = 0; i < list->count; i++) {
        const struct check_finding *finding = &list->items[i];
        emit_begin(emit, NULL, EMIT_OBJECT);
        emit_text(emit, "name", finding->name);
        emit_text(emit, "outcome", outcome_name(finding->outcome));
        emit_text(emit, "detail", finding->detail);
        if (*finding->remedy) {
            emit_text(emit, "remedy", finding->remedy);
        }
        emit_end(emit);
    }
    emit_end(emit);
    emit_number(emit, "failed", outcome_count(list, CHECK_FAILED), EMIT_PLAIN);
    emit_number(emit, "notes", outcome_count(list, CHECK_NOTE), EMIT_PLAIN);
    emit_end(emit);
    return emit_finish(emit);
}

int check_run(bool json, int seconds)
{
    struct check_list list = {.pipe = -1, .seconds = seconds};
    check_drivers(&list);
    check_kernels(&list);
    check_build_process(&list);
    check_validation(&list);
    check_linking(&list);
    check_opencl(&list);
    check_system(&list);
    const bool written = json ? json_print(&list) : text_print(&list);
    const bool good = written && !list.failed && outcome_count(&list, CHECK_FAILED) == 0;
    if (list.failed) {
        fputs("zeinfo: out of memory\n", stderr);
    }
    check_list_finish(&list);
    return good ? 0 : 1;
}
