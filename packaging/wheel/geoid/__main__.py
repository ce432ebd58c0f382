"""The command line: `geoid ...` or `python -m geoid ...`."""

import json
import os
import re
import shlex
import signal
import sys

import geoid
from geoid import _tree

USAGE = """\
usage: geoid COMMAND [ARGUMENT...]

  run PROGRAM [ARGUMENT...]   starts a program that uses Geoid; its exit status is the program's
  check                       checks that Geoid works on this machine, as zeinfo --check
  zeinfo, zetop, zetrace, zedbg, geoidc
                              start the tool of this name; each has --help
  ocloc                       starts geoidc with the command line of ocloc
  env [--sh | --csh | --fish | --json | --github]
                              prints the variables that `run` sets, as commands of a shell
                              (default: sh), as JSON, or as lines for the file GITHUB_ENV
  libraries                   prints the folder of the libraries
  include                     prints the folder of the headers
  modules                     prints the folder of the Python modules ze, zes, zet and zer
  examples                    prints the folder of examples; copy it, and run make there
  --version, --help
"""
TOOLS = ("zeinfo", "zetop", "zetrace", "zedbg", "geoidc")
FOLDERS = {
    "libraries": geoid.libraries,
    "include": geoid.include,
    "modules": geoid.modules,
    "examples": geoid.examples,
}


def fail(text, status):
    print(f"geoid: {text}", file=sys.stderr)
    return status


def start(program, arguments, name=None):
    """Replaces this process by a program of the package. Returns only if that fails."""
    path = _tree.tool(program)
    if not os.path.exists(path):
        return fail(f"{program} is not part of this package", 127)
    # Python ignores these signals. A program that inherits this would not end when its reader does.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    sys.stdout.flush()
    try:
        os.execv(path, [name or path, *arguments])
    except OSError as error:
        return fail(f"cannot start {path}: {error.strerror}", 126)


def csh_quote(text):
    """Quotes a text for csh, which replaces ! also between quotes."""
    return "'" + text.replace("'", "'\\''").replace("!", "\\!").replace("\n", "\\\n") + "'"


def fish_quote(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def github_line(name, value):
    """Returns the lines that set a variable. A value of several lines ends with a word that it
    lacks."""
    if "\n" not in value:
        return f"{name}={value}"
    end = "END"
    while re.search(rf"^{end}$", value, re.M):
        end += "_"
    return f"{name}<<{end}\n{value}\n{end}"


FORMS = {
    "--sh": lambda name, value: f"export {name}={shlex.quote(value)}",
    "--csh": lambda name, value: f"setenv {name} {csh_quote(value)}",
    "--fish": lambda name, value: f"set -gx {name} {fish_quote(value)}",
    "--github": github_line,
}


def env_print(arguments):
    form = arguments[0] if arguments else "--sh"
    if len(arguments) > 1 or form not in (*FORMS, "--json"):
        return fail(
            f"env: wrong option {' '.join(arguments)}: use one of {', '.join([*FORMS, '--json'])}",
            2,
        )
    values = geoid.variables()
    if form == "--json":
        print(json.dumps(values, indent=2))
    else:
        for name, value in values.items():
            print(FORMS[form](name, value))
    return 0


def command(arguments):
    name, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if name in ("-h", "--help"):
        print(USAGE, end="")
        return 0
    if name == "--version":
        print(f"geoid {geoid.__version__}")
        return 0
    if name == "run":
        return start("geoid-run", rest)
    if name == "check":
        return start("zeinfo", ["--check", *rest])
    if name in TOOLS:
        return start(name, rest)
    if name == "ocloc":
        return start("geoidc", rest, "ocloc")
    if name == "env":
        return env_print(rest)
    if name in FOLDERS and not rest:
        print(FOLDERS[name]())
        return 0
    print(USAGE, end="", file=sys.stderr)
    return 2


def main():
    """The command geoid."""
    try:
        status = command(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has gone; the interpreter must not write again at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = 1
    return status


def tool():
    """The commands geoid-run, zeinfo and others, by the name that was called."""
    return start(os.path.basename(sys.argv[0]), sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
