"""Geoid: oneAPI Level Zero on the CPU, in a Python environment.

    geoid.activate()     lets this process use Geoid; call it before devices are searched
    geoid.libraries()    the folder of the libraries
    geoid.include()      the folder of the headers
    geoid.modules()      the folder of the Python modules ze, zes, zet and zer
    geoid.examples()     the folder of examples
    geoid.variables()    the environment variables that `geoid run` sets

The command `geoid --help` lists what there is for other programs.
"""

from geoid._activate import activate
from geoid._build import VERSION as __version__
from geoid._tree import examples, include, libraries, modules
from geoid._variables import variables

__all__ = [
    "__version__",
    "activate",
    "examples",
    "include",
    "libraries",
    "modules",
    "variables",
]
