#!/usr/bin/env python3
"""Builds the wheel: the package, libtactus.so and what that needs, in one file for every Python.

A build backend (PEP 517, PEP 660) that needs nothing but Python, and a program:

    python/tactus_wheel.py --build build --out build/wheel
    python/tactus_wheel.py --tree DIR          # the package without libraries, for a package of a distribution

The libraries come from a build of Tactus: the folder `build` of the source tree, or the one that
TACTUS_BUILD names.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile
from typing import Any, Dict, List, Optional, Tuple

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent
LIBRARIES = ("libtactus.so", "libtactus_client.so")
EXAMPLES = ("forklift", "robot", "pbs-drone")

#: What every Linux has, and what must come from there.
SYSTEM = re.compile(
    r"(linux-vdso|ld-linux|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|libcuda|libz)[.-]"
)


def version() -> str:
    text = (HERE / "tactus" / "_version.py").read_text(encoding="utf-8")
    found = re.search(r'__version__ = "([^"]+)"', text)
    assert found is not None
    return found.group(1)


def build_folder() -> pathlib.Path:
    folder = pathlib.Path(os.environ.get("TACTUS_BUILD", SOURCE / "build"))
    missing = [name for name in LIBRARIES if not (folder / name).is_file()]
    if missing:
        raise SystemExit(
            f"{folder} has no {', '.join(missing)}: build Tactus first (./run --version), or let "
            "TACTUS_BUILD name the folder of a build"
        )
    return folder


def tag() -> str:
    """For every Python 3 on this platform: nothing in it is compiled for one of them."""
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return f"py3-none-{platform}"


def needed_by(library: pathlib.Path) -> List[Tuple[str, pathlib.Path]]:
    """The libraries that it loads and that not every Linux has: name and file."""
    listed = subprocess.run(["ldd", str(library)], capture_output=True, text=True, check=True)
    out = []
    for line in listed.stdout.splitlines():
        found = re.match(r"\s*(\S+) => (/\S+)", line)
        if found and not SYSTEM.match(found.group(1)):
            out.append((found.group(1), pathlib.Path(found.group(2))))
    return out


def files_of_package() -> Dict[str, pathlib.Path]:
    """Every file of the package but the libraries, by its name in the wheel."""
    files = {
        f"tactus/{path.relative_to(HERE / 'tactus').as_posix()}": path
        for path in sorted((HERE / "tactus").rglob("*"))
        if path.is_file() and (path.suffix == ".py" or path.name == "py.typed")
    }
    for name in EXAMPLES:
        files[f"tactus/examples/{name}.system.json"] = SOURCE / "examples" / f"{name}.system.json"
    return files


def files_of_wheel() -> Dict[str, pathlib.Path]:
    """Every file, by its name in the wheel."""
    build = build_folder()
    files = files_of_package()
    for library in LIBRARIES:
        files[f"tactus/lib/{library}"] = (build / library).resolve()
        for name, path in needed_by(build / library):
            files[f"tactus/lib/{name}"] = path.resolve()
    return files


def metadata() -> Dict[str, str]:
    """The files of the folder `*.dist-info`, but for the record."""
    about = (
        "Metadata-Version: 2.1\nName: tactus\n"
        f"Version: {version()}\n"
        "Summary: Deadlines for work on a GPU: proved, planned, and run\n"
        "License: Apache-2.0\nRequires-Python: >=3.9\n"
        "Provides-Extra: frames\nRequires-Dist: pandas; extra == 'frames'\n"
    )
    wheel = f"Wheel-Version: 1.0\nGenerator: tactus\nRoot-Is-Purelib: false\nTag: {tag()}\n"
    return {"METADATA": about, "WHEEL": wheel}


def write_wheel(out: pathlib.Path, contents: Dict[str, bytes]) -> str:
    """Writes the wheel with its record, and returns its name. The same contents give the same file."""
    name = f"tactus-{version()}-{tag()}.whl"
    info = f"tactus-{version()}.dist-info"
    contents.update({f"{info}/{key}": text.encode() for key, text in metadata().items()})
    contents[f"{info}/LICENSE"] = (SOURCE / "LICENSE").read_bytes()
    record = ""
    for path, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    contents[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    out.mkdir(parents=True, exist_ok=True)
    beside = out / f".{name}.{os.getpid()}"
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in contents.items():
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if ".so" in path else 0o644) << 16
            archive.writestr(entry, data)
    os.replace(beside, out / name)
    return name


def write_tree(folder: pathlib.Path) -> None:
    """The package without the libraries, as files; it loads those of the system."""
    contents = {name: path.read_bytes() for name, path in files_of_package().items()}
    contents[f"tactus-{version()}.dist-info/METADATA"] = metadata()["METADATA"].encode()
    for name, data in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


# What pip calls.


def build_wheel(
    wheel_directory: str,
    config_settings: Optional[Dict[str, Any]] = None,
    metadata_directory: Optional[str] = None,
) -> str:
    contents = {name: path.read_bytes() for name, path in files_of_wheel().items()}
    return write_wheel(pathlib.Path(wheel_directory), contents)


def build_editable(
    wheel_directory: str,
    config_settings: Optional[Dict[str, Any]] = None,
    metadata_directory: Optional[str] = None,
) -> str:
    """Points to the source tree, whose build folder has the libraries."""
    return write_wheel(pathlib.Path(wheel_directory), {"tactus.pth": f"{HERE}\n".encode()})


def get_requires_for_build_wheel(config_settings: Optional[Dict[str, Any]] = None) -> List[str]:
    return []


def get_requires_for_build_editable(config_settings: Optional[Dict[str, Any]] = None) -> List[str]:
    return []


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds the wheel of the Python package.")
    parser.add_argument("--build", help="folder of a build of Tactus (default: build)")
    parser.add_argument("--out", default="dist", help="folder for the wheel")
    parser.add_argument("--tree", type=pathlib.Path, help="folder for the package without libraries")
    arguments = parser.parse_args()
    if arguments.tree:
        write_tree(arguments.tree)
        return 0
    if arguments.build:
        os.environ["TACTUS_BUILD"] = arguments.build
    print(pathlib.Path(arguments.out) / build_wheel(arguments.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
