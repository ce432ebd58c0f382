"""Calls of pyzes and comparisons, for pyzes_walk.py: which functions were called, what was compared, what was wrong."""
import ctypes
import math

import pyzes

SUCCESS, UNSUPPORTED = pyzes.ZE_RESULT_SUCCESS, pyzes.ZE_RESULT_ERROR_UNSUPPORTED_FEATURE
called = set()
wrong = []
compared = []


def call(name, *arguments):
    """The result of a function of pyzes."""
    called.add(name)
    return getattr(pyzes, name)(*arguments)


def must(name, *arguments):
    result = call(name, *arguments)
    if result != SUCCESS:
        raise RuntimeError(f"{name}: 0x{result:x}")


def same(what, actual, expected):
    """expected: a value, or of a number a pair of bounds."""
    compared.append(what)
    if isinstance(expected, tuple) and not isinstance(actual, tuple):
        slack = 1 + abs(expected[1]) * 1e-9 if isinstance(actual, int) else 1e-6
        right = expected[0] - slack <= actual <= expected[1] + slack
    elif isinstance(expected, float):
        right = math.isclose(actual, expected, rel_tol=1e-12)
    else:
        right = actual == expected
    if not right:
        wrong.append(what)
        print(f"{what}: {actual} instead of {expected}")


def structure(kind, stype=None):
    made = getattr(pyzes, kind)()
    if stype is not None:
        made.stype = getattr(pyzes, "ZES_STRUCTURE_TYPE_" + stype)
    return made


def got(name, handle, kind, stype=None):
    """The structure that a function fills; None: UNSUPPORTED_FEATURE."""
    made = structure(kind, stype)
    result = call(name, handle, ctypes.byref(made))
    if result not in (SUCCESS, UNSUPPORTED):
        raise RuntimeError(f"{name}: 0x{result:x}")
    return made if result == SUCCESS else None


def listed(name, of, kind, stype=None):
    """What a function with a count lists."""
    count = ctypes.c_uint32(0)
    must(name, *of, ctypes.byref(count), None)
    array = (getattr(pyzes, kind) * count.value)()
    for item in array:
        if stype:
            item.stype = getattr(pyzes, "ZES_STRUCTURE_TYPE_" + stype)
    if count.value:
        must(name, *of, ctypes.byref(count), array)
    return list(array)


def constant(prefix, word):
    """pyzes's value of a word; None: it does not know it."""
    return getattr(pyzes, f"ZES_{prefix}_{word.upper()}", None)


def flags(prefix, words):
    words = [words] if isinstance(words, str) else words
    return sum(getattr(pyzes, f"ZES_{prefix}_FLAG_{word.upper()}") for word in words)


def handle(item):
    return item.value if hasattr(item, "value") else item
