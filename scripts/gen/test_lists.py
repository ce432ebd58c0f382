"""Build-time C for tests/api/test_order.c: all functions that take a list of events to wait for, and all that are for
immediate lists only, each with a call that the test can make. A function that the registry gets is in both tables by
itself.

The arguments are objects of the test (struct things) and plain values. Where a function needs particular values to
succeed, the test has a call of its own under the function's name.
"""

from . import ctext
from .ddi_data import Layout, c_string
from .test_threads import Call

OBJECTS = {"ze_command_list_handle_t": "list", "ze_context_handle_t": "context", "ze_kernel_handle_t": "kernel",
           "ze_image_handle_t": "image", "ze_executable_graph_handle_t": "executable", "ze_graph_handle_t": "graph",
           "ze_event_handle_t": "event", "ze_external_semaphore_ext_handle_t": "semaphore"}
EVENTS = {"hSignalEvent": "signal", "numWaitEvents": "count", "phWaitEvents": "waits"}


def waits(function):
    """Whether the function appends something that waits for events."""
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
    """What a function for immediate lists answers for a regular one."""
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
