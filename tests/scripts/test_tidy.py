#!/usr/bin/env python3
"""scripts/tidy finds a fault of every kind that it follows paths for. It bounds this analysis, and
the bound must not hide a fault of an ordinary function."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = sys.argv.pop(1) if len(sys.argv) > 1 else os.path.join(ROOT, "build")

# [the check, the function with the fault]; each function is analysed alone
FAULTS = [
    ("core.StackAddressEscape", """
static int *pick(int count, int *a, int *b)
{
    int *chosen = a;
    for (int i = 0; i < count && i < 6; i++) {
        chosen = i & 1 ? b : a;
    }
    return chosen;
}

void escape(int count)
{
    int x = 0, y = 1;
    global = pick(count, &x, &y);
}
"""),
    ("core.VLASize", """
static int size_of(int k)
{
    return k > 3 ? 0 : k;
}

int array(int k)
{
    if (k != 0) {
        return 0;
    }
    int words[size_of(k)];
    words[0] = 1;
    return words[0];
}
"""),
    ("deadcode.DeadStores", "int dead(int x)\n{\n    int y;\n    y = 3;\n    y = x + 1;\n    return y;\n}\n"),
    ("unix.MallocSizeof", "long *size(void)\n{\n    long *p = malloc(sizeof(short) * 4);\n    return p;\n}\n"),
    ("unix.MismatchedDeallocator", """
void *other(void) __attribute__((ownership_returns(others)));
static void *get(void)
{
    return other();
}

void give(void)
{
    free(get());
}
"""),
    ("unix.cstring.NotNullTerminated", "size_t length(void)\n{\n    return strlen((char *)&length);\n}\n"),
    ("security.FloatLoopCounter", "void loop(void)\n{\n    for (float f = 0; f < 1; f += 0.1f) {\n        puts(\"\");\n    }\n}\n"),
    ("security.insecureAPI.UncheckedReturn", "void user(void)\n{\n    setuid(1);\n}\n"),
]
HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\nextern int *global;\nint *global;\n"


class Tidy(unittest.TestCase):
    def test_every_kind_of_fault_is_found(self):
        # The folder lies below the tree, where clang-tidy finds .clang-tidy.
        with tempfile.TemporaryDirectory(dir=BUILD) as folder:
            path = os.path.join(folder, "faults.c")
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(HEAD + "".join(text for _, text in FAULTS))
            done = subprocess.run([os.path.join(ROOT, "scripts", "tidy"), BUILD, path], capture_output=True, text=True, check=False)
        for check, _ in FAULTS:
            self.assertIn("[clang-analyzer-" + check, done.stdout)
        self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    if not shutil.which("clang-tidy-22"):
        print("skipped: clang-tidy-22 is missing")
        sys.exit(77)
    unittest.main()
