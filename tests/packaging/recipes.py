"""Reads the recipes of packaging/ci: the commands of each, and how its CI system runs them.

    recipes.py steps RECIPE WORKSPACE FOLDER
        writes the steps of a recipe to a folder, for shells: the file `image` has the name of the
        image, NN.run is the program of step NN, NN.title its name
    recipes.py project FOLDER [--wrong]
        writes the project that the recipes test; with --wrong its program makes a wrong call
    recipes.py check FOLDER
        checks the reports of a run in this folder

RECIPE is a file of packaging/ci. tests/scripts/test_ci.py runs the recipes with an installed tree,
run_recipes of this folder in clean systems.
"""

import argparse
import dataclasses
import json
import os
import re
import shlex
import sys
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
RECIPES = os.path.join(os.path.dirname(os.path.dirname(HERE)), "packaging", "ci")
BASH = ("bash", "-e", "-o", "pipefail", "-c")

PROJECT = """cmake_minimum_required(VERSION 3.21)
project(program C)
find_package(LevelZero REQUIRED)
add_executable(program program.c)
target_link_libraries(program PRIVATE LevelZero::LevelZero)
enable_testing()
add_test(NAME filled COMMAND program)
"""
PROGRAM = """#include <level_zero/ze_api.h>
#include <string.h>
#define MUST(call)                         \\
    do {                                   \\
        if ((call) != ZE_RESULT_SUCCESS) { \\
            return __LINE__ % 250 + 1;     \\
        }                                  \\
    } while (0)
int main(int argc, char **argv)
{
    ze_init_driver_type_desc_t types = {ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC, NULL, UINT32_MAX};
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    unsigned one = 1;
    void *memory;
    MUST(zeInitDrivers(&one, &driver, &types));
    one = 1;
    MUST(zeDeviceGet(driver, &one, &device));
    MUST(zeContextCreate(driver, &desc, &context));
    MUST(zeCommandListCreateImmediate(context, device, &queue, &list));
    MUST(zeMemAllocHost(context, &host, 4096, 64, &memory));
    MUST(zeCommandListAppendMemoryFill(list, memory, "x", 1, 4096, NULL, 0, NULL));
    one = memcmp(memory, "xxxx", 4) != 0;
    MUST(zeMemFree(context, memory));
    MUST(zeCommandListDestroy(list));
    MUST(zeContextDestroy(context));
    @WRONG@
    (void)argc, (void)argv;
    return (int)one;
}
"""
WRONG = "(void)zeContextGetStatus(context);"  # destroyed: an error that the program ignores


class RecipeError(Exception):
    """A recipe has something that this program does not understand."""


@dataclasses.dataclass
class Step:
    """A command with the words of the shell that runs it, and the folder where it runs."""

    title: str
    shell: tuple
    command: str
    folder: str


@dataclasses.dataclass
class Recipe:
    """The steps run in an image, with variables of the environment."""

    image: str
    variables: dict
    steps: list


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def recipe_text(name):
    return read(os.path.join(RECIPES, name))


def only(pattern, text, what):
    """Returns the first group of a pattern that must occur once."""
    found = re.findall(pattern, text, re.M)
    if len(found) != 1:
        raise RecipeError(f"{what} occurs {len(found)} times, not once")
    return found[0]


# ---- YAML, as far as the recipes use it ----


def indent(line):
    return len(line) - len(line.lstrip())


def block(lines, at):
    """Returns the lines after `at` that are indented further, without their indentation."""
    edge, found = indent(lines[at]), []
    for line in lines[at + 1 :]:
        if line.strip() and indent(line) <= edge:
            break
        found.append(line)
    inner = min(indent(line) for line in found if line.strip())
    return [line[inner:] for line in found]


def yaml_block(text, key):
    """Returns the lines below the only line that consists of a key."""
    lines = text.split("\n")
    places = [number for number, line in enumerate(lines) if line.strip() == key]
    if len(places) != 1:
        raise RecipeError(f"the key {key} occurs {len(places)} times, not once")
    return block(lines, places[0])


def yaml_variables(text, key, workspace):
    """Returns the variables of a block `env:` or `variables:`."""
    pairs = [line.split(": ", 1) for line in yaml_block(text, key) if line.strip()]
    names = ("${{ github.workspace }}", "$CI_PROJECT_DIR")
    for pair in pairs:
        for name in names:
            pair[1] = pair[1].replace(name, workspace)
    return dict(pairs)


# ---- the recipes ----


def github(workspace):
    """Each step runs in a shell of its own. Steps with `uses` are programs of GitHub."""
    text = recipe_text("github.yml")
    steps, name = [], ""
    lines = yaml_block(text, "steps:")
    for number, line in enumerate(lines):
        name = line[len("- name: ") :] if line.startswith("- name: ") else name
        found = re.match(r"(?:- |  )run: (.*)", line)
        if found:
            command = "\n".join(block(lines, number)) if found[1] == "|" else found[1]
            steps.append(Step(name, BASH, command, workspace))
    return Recipe(
        only(r"^ +container: (.*)$", text, "container:"),
        yaml_variables(text, "env:", workspace),
        steps,
    )


def gitlab(workspace):
    """All commands run in one shell."""
    text = recipe_text("gitlab.yml")
    commands = []
    for key in ("before_script:", "script:"):
        items = yaml_block(text, key)
        for number, line in enumerate(items):
            if line == "- |":
                commands += block(items, number)
            elif line.startswith("- "):
                commands.append(line[2:])
    return Recipe(
        only(r"^ +image: (.*)$", text, "image:"),
        yaml_variables(text, "variables:", workspace),
        [Step("before_script and script", BASH, "\n".join(commands), workspace)],
    )


def jenkins(workspace):
    text = recipe_text("Jenkinsfile")
    pairs = re.findall(r"^ +(GEOID_\w+) = ['\"](.*)['\"]$", text, re.M)
    # Groovy removes a backslash at the end of a line together with the line feed.
    stages = re.findall(r"stage\('([^']*)'\) \{\s+steps \{\s+sh '''\n(.*?)'''", text, re.S)
    if len(stages) != text.count("sh '''"):
        raise RecipeError("a command of the Jenkinsfile is not in a stage of the usual form")
    return Recipe(
        only(r"docker \{ image '([^']*)'", text, "image"),
        {name: value.replace("${WORKSPACE}", workspace) for name, value in pairs},
        [
            Step(title, ("sh", "-xe", "-c"), command.replace("\\\n", ""), workspace)
            for title, command in stages
        ],
    )


def docker(workspace):
    """The workspace is the folder of the Dockerfile, and at last the folder with the program
    `program`, which the image runs in its folder WORKDIR."""
    text = re.sub(r"^#.*\n", "", recipe_text("Dockerfile"), flags=re.M).replace("\\\n", "")
    image, head, folder, steps = "", "", "/", []
    for line in filter(None, text.split("\n")):
        word, rest = line.split(maxsplit=1)
        if word == "FROM":
            image = rest
        elif word == "ARG":  # a variable that the caller may have set
            name, value = rest.split("=", 1)
            head += f'{name}="${{{name}-{value}}}"; export {name}; '
        elif word == "ENV":
            head += f"export {rest}; "
        elif word == "COPY":
            source, target = rest.split()
            command = f"mkdir -p {target} && cp -r {shlex.quote(workspace)}/{source}. {target}"
            steps.append(Step(line, ("sh", "-c"), head + command, "/"))
        elif word == "RUN":
            steps.append(Step("RUN " + rest[:60].strip(), ("sh", "-c"), head + rest, folder))
        elif word == "WORKDIR":
            folder = rest
        elif word == "ENTRYPOINT":
            command = shlex.join([*json.loads(rest), "./program"])
            steps.append(Step("docker run", ("sh", "-c"), head + command, workspace))
        else:
            raise RecipeError(f"the Dockerfile has an instruction {word}")
    return Recipe(image, {}, steps)


READERS = {
    "github.yml": github,
    "gitlab.yml": gitlab,
    "Jenkinsfile": jenkins,
    "Dockerfile": docker,
}


# ---- the project that is tested, and its reports ----


def project_write(folder, wrong=False):
    write(os.path.join(folder, "CMakeLists.txt"), PROJECT)
    text = PROGRAM.replace("@WRONG@", WRONG if wrong else "")
    write(os.path.join(folder, "program.c"), text)


def reports_check(folder):
    """Returns what is wrong with the reports of a run in a folder, as a list of texts."""
    reports, problems = os.path.join(folder, "reports"), []

    def want(condition, text):
        if not condition:
            problems.append(text)

    suite = xml.etree.ElementTree.parse(os.path.join(reports, "junit.xml")).getroot()
    results = (suite.get("tests"), suite.get("failures"))
    want(results == ("1", "0"), f"junit.xml has {results[0]} tests and {results[1]} failures")
    log = json.loads(read(os.path.join(reports, "validation.sarif")))
    for result in log["runs"][0]["results"]:
        want(result["level"] != "error", f"validation.sarif has an error {result['ruleId']}")
    trace = json.loads(read(os.path.join(reports, "trace.json")))
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    call = "zeCommandListAppendMemoryFill"
    want(call in {event.get("name") for event in events}, f"trace.json lacks {call}")
    want(call in read(os.path.join(reports, "trace.txt")), f"trace.txt lacks {call}")
    return problems


def steps_write(recipe, folder):
    """Writes the steps as programs of sh. What a step of GitHub writes to the file GITHUB_PATH is
    in PATH of the later ones."""
    write(os.path.join(folder, "image"), recipe.image + "\n")
    variables = "".join(
        f"export {name}={shlex.quote(value)}\n" for name, value in recipe.variables.items()
    )
    for number, step in enumerate(recipe.steps):
        path = os.path.join(folder, f"{number:02}")
        write(path + ".title", step.title + "\n")
        write(
            path + ".run",
            "GITHUB_PATH=/tmp/github-path; export GITHUB_PATH\n"
            'while read -r added; do PATH="$added:$PATH"; done 2>/dev/null <"$GITHUB_PATH" || :\n'
            f"{variables}cd {shlex.quote(step.folder)} || exit\n"
            f"exec {shlex.join([*step.shell, step.command])} </dev/null\n",
        )


def main():
    parser = argparse.ArgumentParser(description="Reads the recipes of packaging/ci.")
    commands = parser.add_subparsers(dest="action", required=True)
    steps = commands.add_parser("steps")
    steps.add_argument("recipe", choices=sorted(READERS))
    steps.add_argument("workspace")
    steps.add_argument("folder")
    project = commands.add_parser("project")
    project.add_argument("folder")
    project.add_argument("--wrong", action="store_true")
    check = commands.add_parser("check")
    check.add_argument("folder")
    options = parser.parse_args()
    problems = []
    if options.action == "steps":
        steps_write(READERS[options.recipe](options.workspace), options.folder)
    elif options.action == "project":
        project_write(options.folder, options.wrong)
    else:
        problems = reports_check(options.folder)
    print("".join(f"{problem}\n" for problem in problems), end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
