"""What hatchling asks while it builds the wheel: the libraries and programs that go into it.

They come from the build that TACTUS_BUILD names, as it is; else from `build` of the source tree, which is built
if it has to be. So the wheel can be made of a clone, of the sources of a release, and of a build that is there.
With TACTUS_WHEEL=plain nothing compiled is in it: for a package of a distribution, which has the libraries
where the linker finds them.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SOURCE / "tools"))  # hatchling loads this file alone
import materials  # noqa: E402
import objects  # noqa: E402

EXAMPLES = ("forklift", "robot", "pbs-drone")


def run(*command):
    """What it says is shown where it goes wrong."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(done.stdout[-4000:], file=sys.stderr)
        raise SystemExit(
            f"the wheel is not built: `{command[0]}` failed; {SOURCE}/tools/packages names what the build needs"
        )


def build_folder():
    given = os.environ.get("TACTUS_BUILD")
    if given:
        return pathlib.Path(given).resolve()
    build = SOURCE / "build"
    if not (build / "build.ninja").is_file():
        run("cmake", "--preset", "release", "-S", SOURCE, "-DTACTUS_TESTS=OFF", "-DTACTUS_BENCH=OFF")
    run("ninja", "-C", build, "programs")
    return build


def installed(build, place):
    """What the package will hold, as `tactus/...`: programs in bin, libraries in lib."""
    for component in ("programs", "library"):
        run("cmake", "--install", build, "--prefix", place / "all", "--component", component, "--strip")
    package = place / "tactus"
    shutil.copytree(place / "all" / "bin", package / "bin")
    (package / "lib" / "tactus").mkdir(parents=True)
    for name in ("libtactus_preload.so", "libtactus_observer.so"):
        shutil.copy(place / "all" / "lib" / "tactus" / name, package / "lib" / "tactus")
    for name in ("libtactus.so", "libtactus_client.so"):
        found = next(path for path in (place / "all").rglob(f"{name}.*") if not path.is_symlink())
        shutil.copy(found, package / "lib" / name)
    return package


class CustomBuildHook(BuildHookInterface):
    """The class that hatchling looks for."""

    def initialize(self, version, build_data):
        put = build_data["force_include"]
        for name in EXAMPLES:
            file = f"{name}.system.json"
            put[str(SOURCE / "examples" / file)] = f"tactus/examples/{file}"
        build_data["tag"] = "py3-none-any"
        if version == "editable" or os.environ.get("TACTUS_WHEEL") == "plain":
            return
        build = build_folder()
        self.scratch = tempfile.TemporaryDirectory(prefix="tactus-wheel-")  # goes with this object
        place = pathlib.Path(self.scratch.name)
        package = installed(build, place)
        own = sorted(path for path in package.rglob("*") if objects.is_object(path))
        copies = objects.carry(own, package / "lib", rename=True)
        materials.write_licences(build, copies, package / "licences")
        for path in sorted(path for path in package.rglob("*") if path.is_file()):
            put[str(path)] = str(path.relative_to(place))
        build_data["tag"] = f"py3-none-{platform(package)}"


def platform(package):
    """manylinux_2_35_x86_64, where the newest symbol of the C library that an object asks for is GLIBC_2.35."""
    needed = set()
    for path in package.rglob("*"):
        if objects.is_object(path):
            needed |= objects.versions_needed(path)
    newest = max(number for name, number in needed if name == "GLIBC")
    return f"manylinux_{newest[0]}_{newest[1]}_{os.uname().machine}"
