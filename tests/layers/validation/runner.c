/* Runs the faulty programs of a table, each in a process with every check on, and compares what
 * the layer tells with their rows. `TEST --program NAME` is one of the programs, under whatever
 * loader and layer the environment names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "faulty.h"

enum { PROGRAMS = 64 };

static char self[4096];

/* --- the program --- */

static void world_open(struct faulty_world *world)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    uint32_t one = 1;
    MUST(zeInit(0));
    MUST(zeDriverGet(&one, &world->driver));
    one = 1;
    MUST(zeDeviceGet(world->driver, &one, &world->device));
    MUST(zeContextCreate(world->driver, &desc, &world->context));
}

static int program_run(const char *name)
{
    for (const struct faulty *row = faulty_programs; row->name; row++) {
        if (strcmp(row->name, name) != 0)
            continue;
        struct faulty_world world = {0};
        world_open(&world);
        row->run(&world);
        MUST(zeContextDestroy(world.context));
        return 0;
    }
    return 2;
}

/* --- what the layer told --- */

/* Whether the comma list has the word. */
static bool list_has(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length) {
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

struct told {
    char messages[512]; /* comma list, each once */
    bool where;         /* a line had the row's text */
};

/* "geoid: validation: error: NAME: TEXT"; the counts at the end begin otherwise. */
static void told_line(struct told *told, const struct faulty *row, char *line)
{
    char *name = line + strlen("geoid: validation: ");
    if (strncmp(line, "geoid: validation: ", (size_t)(name - line)) != 0)
        return;
    if (row->where && strstr(name, row->where))
        told->where = true;
    if (strncmp(name, "in all", 6) == 0 || !(name = strstr(name, ": ")))
        return;
    name += 2;
    name[strcspn(name, ":")] = '\0';
    if (list_has(told->messages, name))
        return;
    if (told->messages[0])
        strcat(told->messages, ",");
    strcat(told->messages, name);
}

static void program_start(const struct faulty *row, int out)
{
    setenv("GEOID_VALIDATION",
           "parameters,lifetime,leaks,threads,memory,commands,events,certification", 1);
    setenv("ZE_ENABLE_VALIDATION_LAYER", "1", 1);
    if (row->setting)
        putenv((char *)(uintptr_t)row->setting);
    dup2(out, STDERR_FILENO);
    execl(self, self, "--program", row->name, NULL);
    _exit(127);
}

static void program_tells(void **state)
{
    const struct faulty *row = *state;
    struct told told = {0};
    char line[4096], all[16384] = "";
    int pipes[2], status;
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0)
        program_start(row, pipes[1]);
    close(pipes[1]);
    FILE *lines = fdopen(pipes[0], "r");
    while (fgets(line, sizeof(line), lines)) {
        if (strlen(all) + strlen(line) < sizeof(all))
            strcat(all, line);
        told_line(&told, row, line);
    }
    fclose(lines);
    waitpid(child, &status, 0);
    if (status != 0 || strcmp(told.messages, row->tells) != 0 || (row->where && !told.where))
        print_message("%s", all);
    assert_true(faulty_may_end(row->name, status));
    assert_string_equal(told.messages, row->tells);
    assert_true(!row->where || told.where);
}

int main(int count, char **arguments)
{
    static struct CMUnitTest cases[PROGRAMS];
    size_t programs = 0;
    if (count == 3 && strcmp(arguments[1], "--program") == 0)
        return program_run(arguments[2]);
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
        return 2;
    for (const struct faulty *row = faulty_programs; row->name; row++)
        cases[programs++] =
            (struct CMUnitTest){row->name, program_tells, NULL, NULL, (void *)(uintptr_t)row};
    return _cmocka_run_group_tests("faulty programs", cases, programs, NULL, NULL);
}
