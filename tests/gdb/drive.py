"""Runs commands in gdb, and prints each with its output. GEOID_GDB_COMMANDS names a file with a
command on each line. gdb runs this file (run_gdb.py)."""
import os

import gdb

gdb.execute("set pagination off")
gdb.execute("set width 0")
gdb.execute("set breakpoint pending on")
gdb.execute("set inferior-tty /dev/null")
gdb.execute("source " + os.environ["GEOID_GDB_SCRIPT"])
with open(os.environ["GEOID_GDB_COMMANDS"]) as commands:
    for command in commands.read().splitlines():
        print("(gdb) " + command)
        try:
            print(gdb.execute(command, to_string=True).rstrip("\n"))
        except gdb.error as error:
            print(error)
