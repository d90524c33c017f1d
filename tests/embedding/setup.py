"""Build the extensions of this folder against the installed package, as a user does."""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

import aeron_cluster

setup(
    ext_modules=cythonize(
        [
            Extension(path.stem, [path.name], include_dirs=[aeron_cluster.get_include()])
            for path in sorted(Path().glob("*.pyx"))
        ],
        language_level=3,
    )
)
