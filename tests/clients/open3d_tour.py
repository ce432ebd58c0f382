#!/usr/bin/env python3
"""A tour of what programs do with Open3D's SYCL device, compared with its CPU device: one line per step.

usage: open3d_tour.py VENV BUILD [--v2] [STEP...]

VENV has open3d-xpu. Each step runs in a process of its own: a crash or a hang costs that step. Exit status 1 when one fails.
"""
import sys

import tour
from tour import step


def numbers(*shape):
    import numpy
    return numpy.random.default_rng(7).uniform(0, 1, shape).astype("f4")


def both(function, tolerance=1e-4):
    """function(device, tensor of) on the SYCL device must give what it gives on the CPU device."""
    import numpy
    import open3d.core as o3c
    results = []
    for name in ("SYCL:0", "CPU:0"):
        device = o3c.Device(name)
        result = function(device, lambda array, device=device: o3c.Tensor(array, device=device))
        results.append(result.cpu().numpy())
    numpy.testing.assert_allclose(*results, rtol=tolerance, atol=tolerance)


def cloud(tensor_of, device, points=20000):
    import open3d
    made = open3d.t.geometry.PointCloud(device)
    made.point.positions = tensor_of(numbers(points, 3))
    return made


@step
def arithmetic():
    a, b = numbers(200, 300), numbers(200, 300)
    both(lambda _, t: t(a) + t(b) * 2 - t(a) / (t(b) + 1))


@step
def mathematics():
    a = numbers(500)
    for name in ("sqrt", "sin", "cos", "exp", "abs", "floor"):
        both(lambda _, t, name=name: getattr(t(a), name)())


@step
def reductions():
    import open3d.core as o3c
    a = numbers(200, 300)
    both(lambda _, t: t(a).sum())
    for axis in (0, 1):
        both(lambda _, t, axis=axis: t(a).sum(o3c.SizeVector([axis])), 1e-3)
        both(lambda _, t, axis=axis: t(a).max(o3c.SizeVector([axis])))
        both(lambda _, t, axis=axis: t(a).argmax(o3c.SizeVector([axis])))


@step
def comparisons():
    a = numbers(1000)
    both(lambda _, t: t(a) > 0.5)
    both(lambda _, t: (t(a) > 0.3).logical_and(t(a) < 0.6))


@step
def indexing():
    import numpy
    a, at = numbers(200, 30), numpy.arange(0, 200, 3, dtype="i8")
    both(lambda _, t: t(a)[t(at)])
    both(lambda _, t: t(a)[t(a)[:, 0] > 0.5])
    both(lambda _, t: (t(a) > 0.5).nonzero()[1])


@step
def types():
    import open3d.core as o3c
    a = numbers(1000) * 100
    for kind in (o3c.float64, o3c.int32, o3c.int64, o3c.uint8, o3c.uint16):
        both(lambda _, t, kind=kind: t(a).to(kind))


@step
def linear_algebra():
    import numpy
    a, b = numbers(60, 60) + 9 * numpy.eye(60, dtype="f4"), numbers(60, 4)
    both(lambda _, t: t(a).matmul(t(b)))
    both(lambda _, t: t(a).inv())
    both(lambda _, t: t(a).solve(t(b)))
    both(lambda _, t: t(a).svd()[1])


@step
def point_clouds():
    import numpy
    shift = numpy.array([1, 2, 3], "f4")
    both(lambda d, t: cloud(t, d).translate(t(shift)).point.positions)
    both(lambda d, t: cloud(t, d).get_max_bound())


@step
def voxels():
    import numpy
    import open3d.core as o3c
    both(lambda d, t: o3c.Tensor(numpy.array(cloud(t, d).voxel_down_sample(0.1).point.positions.shape[:1])))


@step
def neighbours():
    import open3d.core as o3c

    def search(_, t):
        index = o3c.nns.NearestNeighborSearch(t(numbers(5000, 3)))
        index.knn_index()
        return index.knn_search(t(numbers(100, 3)), 3)[1]
    both(search)


@step
def hash_maps():
    import numpy
    import open3d.core as o3c
    keys = numpy.arange(500, dtype="i8").reshape(-1, 1)

    def find(device, t):
        one = o3c.SizeVector([1])
        table = o3c.HashMap(1000, o3c.int64, one, o3c.int64, one, device)
        table.insert(t(keys), t(keys * 3))
        places, found = table.find(t(keys + 100))
        return found
    both(find)


if __name__ == "__main__":
    sys.exit(tour.main("Open3D", __file__, __doc__, {}))
