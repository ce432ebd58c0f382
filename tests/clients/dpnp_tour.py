#!/usr/bin/env python3
"""A tour of what programs do with dpnp, compared with numpy: one line per step.

usage: dpnp_tour.py VENV BUILD [--v2] [STEP...]

Each step runs in a process of its own: a crash or a hang costs that step. Exit status 1 when one fails. The step `fourier` needs
clang in PATH, because oneMKL has OpenCL C compiled.
"""
import sys

import tour
from tour import step


def data(shape, kind="f4", low=-4, high=4):
    import numpy
    generator = numpy.random.default_rng(7)
    values = generator.uniform(low, high, shape)
    if kind.startswith("c"):
        values = values + 1j * generator.uniform(low, high, shape)
    return values.astype(kind)


def same(got, wanted, tolerance=1e-5):
    import numpy
    got = got.asnumpy() if hasattr(got, "asnumpy") else numpy.asarray(got)
    numpy.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


def both(function, *arrays, tolerance=1e-5):
    """function(module, arrays...) with dpnp must give what it gives with numpy."""
    import dpnp
    import numpy
    same(function(dpnp, *(dpnp.asarray(array) for array in arrays)), function(numpy, *arrays), tolerance)


@step
def elementwise():
    for kind in ("f4", "f8", "i4", "i8"):
        both(lambda m, a, b: a * 2 + b - a / 3, data(1000, kind), data(1000, kind))


@step
def mathematics():
    for name in ("sin", "cos", "exp", "tanh", "sqrt", "log", "cbrt", "log1p", "arctan"):
        both(lambda m, a: getattr(m, name)(a), data(1000, "f4", 0.1, 4), tolerance=1e-4)
        both(lambda m, a: getattr(m, name)(a), data(1000, "f8", 0.1, 4), tolerance=1e-9)


@step
def complex_numbers():
    both(lambda m, a: m.exp(a) * m.conj(a), data(300, "c8"), tolerance=1e-3)
    both(lambda m, a: m.abs(a), data(300, "c16"))


@step
def integers():
    both(lambda m, a, b: (a % b) ^ (a << 2) | (b >> 1), data(500, "i4", 1, 100), data(500, "i4", 1, 9))


@step
def comparisons():
    both(lambda m, a: m.where(a > 0, a, -a), data(500))
    both(lambda m, a: m.clip(a, -1, 1), data(500))


@step
def views():
    both(lambda m, a: a[::2, 1:-1].T + 1, data((40, 50)))
    both(lambda m, a: m.concatenate([a, a[::-1]], axis=0).reshape(-1), data((10, 20)))


@step
def indexing():
    both(lambda m, a: a[a > 0], data(1000))
    both(lambda m, a: m.take(a, m.asarray([3, 1, 999, 0])), data(1000))


@step
def sums():
    for kind in ("f4", "f8", "i4", "i8"):
        both(lambda m, a: a.sum(), data(10000, kind), tolerance=1e-3)
    both(lambda m, a: a.sum(axis=0), data((100, 77), "f8"))
    both(lambda m, a: a.sum(axis=1), data((100, 77), "f8"))


@step
def reductions():
    for name in ("max", "min", "prod", "mean", "std", "any", "all", "argmax", "argmin"):
        both(lambda m, a: getattr(m, name)(a), data(2000, "f8", 0.99, 1.01), tolerance=1e-8)


@step
def scans():
    both(lambda m, a: m.cumsum(a), data(5000, "f8"), tolerance=1e-9)
    both(lambda m, a: m.cumsum(a, axis=1), data((30, 40), "i4"))


@step
def sorting():
    for kind in ("f4", "i4", "f8"):
        both(lambda m, a: m.sort(a), data(3000, kind, -1000, 1000))
    both(lambda m, a: m.argsort(a), data(3000, "f8"))


@step
def searching():
    both(lambda m, a: m.unique(a), data(2000, "i4", 0, 50))
    both(lambda m, a: m.searchsorted(m.sort(a), a[:10]), data(500, "f8"))


@step
def broadcasting():
    both(lambda m, a, b: a[:, None] * b[None, :], data(100), data(70))


@step
def matrix_product():
    both(lambda m, a, b: m.matmul(a, b), data((64, 48)), data((48, 80)), tolerance=1e-4)
    both(lambda m, a, b: m.matmul(a, b), data((33, 48), "f8"), data((48, 15), "f8"))
    both(lambda m, a, b: m.dot(a, b), data(500, "f8"), data(500, "f8"))


@step
def batched_product():
    both(lambda m, a, b: m.matmul(a, b), data((5, 16, 12)), data((5, 12, 20)), tolerance=1e-4)


@step
def linear_algebra():
    both(lambda m, a, b: m.linalg.solve(a, b), data((20, 20), "f8"), data(20, "f8"), tolerance=1e-6)
    both(lambda m, a: m.linalg.inv(a), data((20, 20), "f8"), tolerance=1e-6)
    both(lambda m, a: m.linalg.det(a), data((8, 8), "f8"), tolerance=1e-6)


@step
def fourier():
    both(lambda m, a: m.abs(m.fft.fft(a)), data(256, "c8"), tolerance=1e-3)
    both(lambda m, a: m.fft.ifft(m.fft.fft(a)).real, data(1000, "c16"), tolerance=1e-9)


@step
def random_numbers():
    import dpnp
    dpnp.random.seed(1)
    values = dpnp.random.uniform(0, 1, 10000).asnumpy()
    assert 0.45 < values.mean() < 0.55 and values.min() >= 0 and values.max() <= 1, values
    assert abs(dpnp.random.normal(0, 1, 10000).asnumpy().std() - 1) < 0.1


@step
def half_precision():
    both(lambda m, a: a * 2 + 1, data(500, "f2"), tolerance=1e-2)


@step
def histogram():
    both(lambda m, a: m.histogram(a, bins=10)[0], data(1000, "f8"))


if __name__ == "__main__":
    sys.exit(tour.main("dpnp", __file__, __doc__, {}))
