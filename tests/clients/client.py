"""The environment in which the Python clients run: SYCL's runtime finds our loader, our driver and nothing else."""
import os


def environment(venv, build, second_adapter=False):
    build, venv = os.path.abspath(build), os.path.abspath(venv)
    library = os.path.join(build, "lib")
    adapter = "1" if second_adapter else "0"
    return {**os.environ,
            "LD_LIBRARY_PATH": f"{library}:{os.path.join(venv, 'lib')}",
            "ZE_ENABLE_ALT_DRIVERS": os.path.join(library, "libze_geoid.so.1"),
            "ONEAPI_DEVICE_SELECTOR": "level_zero:gpu",
            "UR_LOADER_USE_LEVEL_ZERO_V2": adapter, "SYCL_UR_USE_LEVEL_ZERO_V2": adapter,
            "OCL_ICD_VENDORS": os.path.join(build, "clients", "no-opencl"),
            "PYTHONDONTWRITEBYTECODE": "1"}
