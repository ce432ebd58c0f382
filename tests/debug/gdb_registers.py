"""Prints the general registers of a thread's frame, and words of memory, as gdb sees them. test_gdb.c runs it in gdb, which
is attached to the process.

DEBUG_THREAD is the system's id of the thread, DEBUG_PC the frame's program counter, DEBUG_ADDRESS that of four words."""
import os

import gdb

NAMES = "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip eflags".split()


def frame_find(thread_id, counter):
    """Returns the thread's frame with a program counter, below the signal handler."""
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] == thread_id:
            thread.switch()
    frame = gdb.newest_frame()
    while frame and frame.pc() != counter:
        frame = frame.older()
    return frame


frame_find(int(os.environ["DEBUG_THREAD"]), int(os.environ["DEBUG_PC"])).select()
for name in NAMES:
    print("@ %s %s" % (name, gdb.parse_and_eval("$" + name).format_string(format="u")))
memory = gdb.selected_inferior().read_memory(int(os.environ["DEBUG_ADDRESS"]), 32).tobytes()
for at in range(0, 32, 8):
    print("@ memory %d" % int.from_bytes(memory[at:at + 8], "little"))
