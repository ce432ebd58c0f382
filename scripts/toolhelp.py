"""Reads what the tools print for --help, from their sources: usage, options, exit status.

scripts/manual makes manual pages from it, and scripts/completion makes completions for shells. The
options are a table: a line that begins with two blanks and "-" has an option. The texts begin at one
column, and lines that are indented further go on with them.
"""
import os
import re
import sys

ROOT = os.environ.get("GEOID_TOOLS_ROOT") or os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# {tool: the file that has its --help}
SOURCES = {"geoid-blocks": "tools/geoid-blocks/main.c", "geoid-run": "tools/geoid-run/geoid-run.in", "geoidc": "tools/geoidc/options.c",
           "zedbg": "tools/zedbg/main.c", "zeinfo": "tools/zeinfo/main.c", "zetop": "tools/zetop/options.c", "zetrace": "tools/zetrace/main.c"}
ESCAPES = {"\\n": "\n", '\\"': '"', "\\\\": "\\"}


class Option:
    """An option of a tool, as its line of the help shows it ("-o, --output FILE").

    `names` are ["-o", "--output"], `value` is "FILE" or "". `words` has the values themselves, if the
    line has them ("-x cl, -x spirv"). `joined`: the value follows after "=" and may be left out.
    `open`: the names are beginnings, or belong to another program ("-W...", "-D -U -I").
    """

    def __init__(self, head, text):
        self.head, self.text = head, text
        self.names, self.words, self.value, self.joined = [], [], "", False
        for part in re.split(r",? (?=-)", head):
            found = re.fullmatch(r"(-[\w-]+)(=|\[=\w+\]|\.\.\.)?(?: (\S.*))?", part.strip())
            if not found:
                sys.exit(f"the help has \"{head}\", which is not an option")
            name, end, value = found.groups(default="")
            self.joined = self.joined or end.startswith("[")
            value = value or end.strip("[]=.")
            if value and value == value.lower():
                self.words.append(value)
                value = "|".join(self.words)
            self.value = value or self.value
            if name not in self.names:
                self.names.append(name)
        self.open = "..." in head or len(self.names) > 2


class Help:
    """usage: lines; about: paragraphs before the options; options; after: paragraphs after them; status: that of "Exit status"."""

    def __init__(self, tool, text):
        self.tool = tool
        lines = text.rstrip("\n").split("\n")
        self.usage = []
        while lines and re.match(r"usage: |       " + re.escape(tool) + r"\b", lines[0]):
            self.usage.append(re.sub(r"^(usage: |       )", "", lines.pop(0)))
        if not self.usage:
            sys.exit(f"{SOURCES[tool]}: the help of {tool} does not begin with its usage")
        first = next((number for number, line in enumerate(lines) if line.startswith("  -")), len(lines))
        last = first
        while last < len(lines) and lines[last].startswith("  "):
            last += 1
        self.about = paragraphs(lines[:first])
        self.options = list(options(lines[first:last]))
        rest = paragraphs(lines[last:])
        found = [paragraph for paragraph in [*self.about, *rest] if paragraph.startswith("Exit status: ")]
        if len(found) != 1:
            sys.exit(f"{SOURCES[tool]}: the help of {tool} has no paragraph \"Exit status: \"")
        self.status = found[0].removeprefix("Exit status: ")
        self.about = [paragraph for paragraph in self.about if paragraph not in found]
        self.after = [paragraph for paragraph in rest if paragraph not in found]


def paragraphs(lines):
    """Joins lines to paragraphs. A line that begins with "Exit status" begins one, too."""
    found = [[]]
    for line in lines:
        if not line.strip() or line.startswith("Exit status: "):
            found.append([])
        if line.strip():
            found[-1].append(line.strip())
    return [" ".join(words) for words in found if words]


def options(lines):
    """Yields the options of a table."""
    columns = [len(line) - len(line.lstrip()) for line in lines if not line.startswith("  -")]
    if columns:
        column = max(set(columns), key=columns.count)
    else:
        column = max((re.match(r"  -.*?  +", line).end() for line in lines if re.match(r"  -.*?  +", line)), default=0)
    rows = []
    for line in lines:
        if not line.startswith("  -"):
            rows[-1][1].append(line.strip())
        elif len(line) > column > 3 and line[column - 1] == " ":
            rows.append((line[:column].strip(), [line[column:].strip()]))
        else:
            rows.append((line.strip(), []))
    for head, text in rows:
        yield Option(head, " ".join(text))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as stream:
        return stream.read()


def c_text(source, name):
    """Returns the string constant of that name in a C file, or ""."""
    found = re.search(rf"^static const char {name}\[\] =((?:\s*\"(?:[^\"\\]|\\.)*\")+);", source, re.M)
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', found.group(1)) if found else []
    return re.sub(r"\\.", lambda match: ESCAPES[match.group()], "".join(parts))


def shell_text(source):
    """Returns what the function usage of a shell script prints."""
    body = source.split("usage()\n{\n")[1].split("\n}\n")[0]
    return "".join(line + "\n" for line in re.findall(r'^    echo "(.*)"$', body, re.M))


def of_tool(tool):
    source = read(SOURCES[tool])
    if SOURCES[tool].endswith(".in"):
        return Help(tool, shell_text(source))
    usage, text = c_text(source, "usage"), c_text(source, "help")
    return Help(tool, usage + ("\n" + text if text else ""))
