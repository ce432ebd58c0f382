"""Generates build-time C for tests/api/test_order.c.

It lists the functions that wait for events, and the functions that accept only immediate lists.
Each comes with a call that the test can make. New functions of the registry are added automatically. The arguments are
objects of the test (struct things) and plain values. For functions that need special values, the
test has a hand-written call under the function's name.
"""

from . import ctext
from .ddi_data import Layout, c_string
from .test_threads import Call

OBJECTS = {"ze_command_list_handle_t": "list", "ze_context_handle_t": "context", "ze_kernel_handle_t": "kernel",
           "ze_image_handle_t": "image", "ze_executable_graph_handle_t": "executable", "ze_graph_handle_t": "graph",
           "ze_event_handle_t": "event", "ze_external_semaphore_ext_handle_t": "semaphore",
           "zet_metric_query_handle_t": "query"}
EVENTS = {"hSignalEvent": "signal", "numWaitEvents": "count", "phWaitEvents": "waits"}


def waits(function):
    """Returns whether the function appends a command that waits for events."""
    return "Append" in function.name and any(m.name == "phWaitEvents" for m in function.members)


def is_immediate(function):
    return any(m.immediate for m in function.members)


class ListCall(Call):
    objects, memory = OBJECTS, "things->to"

    def pick(self, member):
        if member.range and member.base == "ze_command_list_handle_t":
            return "things->closed"
        name = self.shared(member)
        return f"things->{name}" if name else "NULL"

    def callback(self, member):
        return "note_write" if member.base == "ze_host_function_callback_t" else "NULL"

    def add(self, member):
        if member.name in EVENTS:
            self.arguments.append(EVENTS[member.name])
        else:
            super().add(member)


def refusal(function):
    """Returns the result code of a function for immediate lists when it is given a regular one."""
    codes = [code for code, _ in function.errors]
    wanted = "ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE"
    return wanted if wanted in codes else "ZE_RESULT_ERROR_INVALID_ARGUMENT"


def call_lines(layout, function):
    call = ListCall(layout, function)
    lines = [f"static ze_result_t list_{function.name}(SIGNATURE)", "{"]
    lines += ["    (void)things, (void)signal, (void)count, (void)waits;"]
    lines += [part for line in call.lines for part in ctext.wrap(line, "    ")]
    arguments = ", ".join(call.arguments)
    return lines + [*ctext.wrap(f"return {function.name}({arguments});", "    "), "}", ""]


def generate(registry):
    layout = Layout(registry)
    lines = [ctext.banner("lists.inc", "").rstrip(), ""]
    rows = []
    for function, _, _ in layout.functions:
        if not waits(function) and not is_immediate(function):
            continue
        lines += call_lines(layout, function)
        rows.append(f"    {{.name = {c_string(function.name)}, .call = list_{function.name}, "
                    f".waits = {'true' if waits(function) else 'false'}, "
                    f".refusal = {refusal(function) if is_immediate(function) else 'ZE_RESULT_SUCCESS'}}},")
    lines += ["static const struct list_function list_functions[] = {"] + rows + ["};"]
    return {"tests/lists.inc": "\n".join(lines) + "\n"}
