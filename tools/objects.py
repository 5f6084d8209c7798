"""What tools and the wheel know about programs and shared libraries: which they are, what they load, how new a
C and C++ library they ask for, and how they find what lies beside them."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess

#: What every Linux has, and what must come from there.
SYSTEM = re.compile(
    r"(linux-vdso|ld-linux|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|libcuda|libz)[.-]"
)


def is_object(path):
    if path.is_symlink() or not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def versions_needed(path):
    """{(library, number)} of the symbols that an object takes from others: ("GLIBC", (2, 35)), ..."""
    said = subprocess.run(["readelf", "--wide", "--version-info", path], capture_output=True, text=True,
                          check=True).stdout
    needs = said.split("Version needs section", 1)  # what it defines itself is no need
    found = re.findall(r"Name: ([A-Z]+)_([0-9.]+)", needs[1] if len(needs) > 1 else "")
    return {(name, tuple(int(part) for part in number.split("."))) for name, number in found}


def needed_by(path):
    """The libraries that it loads, itself or through others, and that not every Linux has: name and file."""
    listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=True)
    found = re.findall(r"^\s*(\S+) => (/\S+)", listed.stdout, re.M)
    return [(name, pathlib.Path(file)) for name, file in found if not SYSTEM.match(name)]


def carry(own, folder, needed=needed_by, rename=False):
    """Puts what the objects `own` need into `folder`, lets all of them look there from where they lie, and returns
    what was copied: {file of the system: copy}. With `rename` a copy has a name of its own (as auditwheel gives it), so
    that another library of that name in the same process is not taken for it."""
    copies, names = {}, {}
    folder.mkdir(parents=True, exist_ok=True)
    for path in own:
        for name, file in needed(path):
            if (folder / name).exists() or name in names:
                continue
            stem, _, rest = name.partition(".so")
            digest = hashlib.sha256(file.read_bytes()).hexdigest()[:8]
            names[name] = f"{stem}-{digest}.so{rest}" if rename else name
            copies[file] = pathlib.Path(shutil.copy(file.resolve(), folder / names[name]))
    for path in [*own, *copies.values()]:
        path.chmod(0o755)
        to_folder = os.path.relpath(folder, path.parent)
        place = "$ORIGIN" if to_folder == "." else f"$ORIGIN/{to_folder}"
        changes = [["--set-rpath", place]]
        changes += [["--replace-needed", old, new] for old, new in names.items() if old != new]
        if rename and path in copies.values():
            changes.append(["--set-soname", path.name])
        for change in changes:  # one at a time: patchelf mixes up several
            subprocess.run(["patchelf", *change, path], check=True)
    return copies
