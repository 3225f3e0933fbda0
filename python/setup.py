"""Builds keel._core: CMake makes the static library, setuptools the extension around it.

KEEL_LIBRARY=/path/libkeel.a in the environment takes a library that is there.
"""

import glob
import os
import subprocess

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


class BuildWithCMake(build_ext):
    def build_extension(self, ext):
        library = os.environ.get("KEEL_LIBRARY")
        folder = os.path.join(os.path.abspath(self.build_temp), "libkeel")
        if library is None:
            subprocess.check_call(["cmake", "-S", ROOT, "-B", folder, "-DBUILD_TESTING=OFF",
                                   "-DKEEL_PYTHON=OFF"])
            subprocess.check_call(["cmake", "--build", folder, "--target", "keel_static",
                                   "-j", str(os.cpu_count() or 1)])
            library = os.path.join(folder, "libkeel.a")
        used = os.path.join(os.path.dirname(os.path.abspath(library)), "libkeel.links")
        with open(used) as file:
            names = file.read().split()
        links = [name if "/" in name else "-l" + name for name in names if name[:2] != "-D"]
        ext.define_macros = [(name[2:], None) for name in names if name[:2] == "-D"]
        ext.extra_objects = [library, *links]
        ext.include_dirs = [os.path.join(ROOT, "include")]
        super().build_extension(ext)


setup(
    ext_modules=[Extension("keel._core", sorted(glob.glob("src/*.c")),
                           extra_compile_args=["-std=c11"], extra_link_args=["-Wl,--exclude-libs,ALL"])],
    cmdclass={"build_ext": BuildWithCMake},
)
