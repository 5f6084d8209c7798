"""What of others is in a build. Nothing is listed by hand: archives and shared libraries are those of the
linker's commands (what they need in turn from the libraries themselves), headers those that the compiler recorded,
modules of the page those of its lock file. Each file is asked for its Debian package."""

import json
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent

TARGETS = ["tactus", "tactusd", "libtactus.so", "libtactus_client.so", "libtactus_preload.so",
           "libtactus_observer.so", "libtactus_cbc.so", "libtactus_mpi.so"]
# SPDX has other names than Debian, for what we meet.
LICENCES = {"Expat": "MIT", "MIT": "MIT", "BSD-3-clause": "BSD-3-Clause", "BSD-3-Clause": "BSD-3-Clause",
            "Apache-2.0": "Apache-2.0", "zlib": "Zlib", "Zlib": "Zlib", "public-domain": "blessing"}


def output(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          check=True).stdout


class Packages:
    """Debian's packages, by the files that they hold."""

    def __init__(self):
        self.owners, self.known = {}, {}
        for listed in pathlib.Path("/var/lib/dpkg/info").glob("*.list"):
            for file in listed.read_text(errors="replace").splitlines():
                self.owners[file] = listed.name[: -len(".list")]
        form = "${binary:Package}\t${Package}\t${Version}\t${source:Package}\n"
        for line in output("dpkg-query", "--show", f"--showformat={form}").splitlines():
            full, *rest = line.split("\t")
            self.known[full] = tuple(rest)

    def of(self, file):
        """(package, version, source) of a file, or None. Libraries of another architecture are asked for by the name
        that they have on this one."""
        real = re.sub(r"^.*-sysroot/", "/", os.path.realpath(file)).replace("aarch64-linux-gnu", "x86_64-linux-gnu")
        for name in (real, str(file), re.sub(r"^/usr(/lib)", r"\1", real)):
            if name in self.owners:
                return self.known[self.owners[name]]
        return None


def links(build):
    """(target, [archives and libraries outside of the tree]) by the linker's commands."""
    rules = (build / "build.ninja").read_text(encoding="utf-8")
    for target in TARGETS:
        path = build / target
        if not path.exists():
            continue
        real = path.resolve().name
        block = re.search(rf"^build (?:\S+ )*{re.escape(real)}(?: \S+)*: .*?(?=^build |\Z)", rules, re.M | re.S)
        said = block.group(0) if block else ""
        files = re.findall(r"(/\S+\.(?:a|so)(?:\.[0-9]+)*)\b", said)
        yield target, path, sorted(set(f for f in files if not f.startswith(str(build))))


def loaded(path):
    """The libraries that the finished object asks for, with those that they ask for."""
    said = output("ldd", path)
    return re.findall(r"=> (/\S+)", said)


def headers(build):
    """Every header outside of the tree that the compiler read for what is shipped."""
    said = output("ninja", "-C", build, "-t", "deps")
    found, shipped = set(), False
    for line in said.splitlines():
        if not line.startswith(" "):
            shipped = line.startswith("CMakeFiles/")  # not of tests and benchmarks
        elif shipped and line.startswith("    /"):
            path = os.path.normpath(line.strip())
            if not path.startswith((str(SOURCE), str(build))):
                found.add(path)
    return sorted(found)


def licence_of(package):
    """What Debian's copyright file says of the package as a whole, where it says it for machines."""
    try:
        text = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text(errors="replace")
    except OSError:
        return "NOASSERTION"
    found = re.search(r"^Files:\s*\*\n(?:.*\n)*?License:\s*(\S+)\s*$", text, re.M)
    return LICENCES.get(found.group(1), "NOASSERTION") if found else "NOASSERTION"


def collect(build):
    """{package: (version, source, licence, {how})}, how: linked, loaded or compiled in."""
    packages, found, unknown = Packages(), {}, []

    def add(file, how):
        if "/cuda" in os.path.realpath(file):
            found.setdefault("cuda-runtime", ("", "", "NOASSERTION", set()))[3].add(how)
            return
        owner = packages.of(file)
        if owner is None:
            unknown.append(file)
            return
        name, version, source = owner
        found.setdefault(name, (version, source, licence_of(name), set()))[3].add(how)

    for target, path, files in links(build):
        for file in files:
            if file.endswith(".a"):
                add(file, f"linked into {target}")
        for file in [] if "/lib/aarch64-" in "".join(files) else loaded(path):
            add(file, f"loaded by {target}")
        if "-static-libstdc++" in (build / "build.ninja").read_text() and target in ("tactus", "libtactus_preload.so", "libtactus_observer.so"):
            add(output("g++", "-print-file-name=libstdc++.a").strip(), f"linked into {target}")
    for file in headers(build):
        add(file, "compiled in (headers)")
    if unknown:
        sys.exit("no package has: " + " ".join(sorted(set(unknown))))
    if "cuda-runtime" in found:
        said = (build / "CMakeCache.txt").read_text()
        compiler = re.search(r"^CMAKE_CUDA_COMPILER:[A-Z]+=(.*)$", said, re.M).group(1)
        version = re.search(r"V([0-9.]+)", output(compiler, "--version")).group(1)
        found["cuda-runtime"] = (version, "NVIDIA CUDA Toolkit", "NOASSERTION", found["cuda-runtime"][3])
    return found


def modules_of_page():
    """The modules of npm whose code is in the page: {name: what the lock file says}."""
    lock = json.loads((SOURCE / "web" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    tools = re.compile(r"esbuild$|@esbuild/")  # it makes the page
    return {path.removeprefix("node_modules/"): said for path, said in lock.items()
            if path and not said.get("dev") and not tools.search(path)}


def write_licences(build, carried, folder):
    """A file per package whose code is in what is shipped: Debian's copyright file, and the licences that it only
    names; the licence files of the page's modules. `carried`: the shared libraries that are shipped, too. Without dpkg
    nothing is written: what is built there is for that machine."""
    if not pathlib.Path("/var/lib/dpkg/info").is_dir():
        return
    packages = Packages()
    inside = {name for name, (*_, how) in collect(build).items()
              if any(word.startswith(("linked", "compiled")) for word in how)}
    inside |= {packages.of(file)[0] for file in carried}
    folder.mkdir(parents=True, exist_ok=True)
    named = set()
    for name in sorted(inside):
        if name == "cuda-runtime":
            text = "NVIDIA CUDA Toolkit: https://docs.nvidia.com/cuda/eula/\n"
        else:
            text = pathlib.Path(f"/usr/share/doc/{name}/copyright").read_text(errors="replace")
        named |= set(re.findall(r"/usr/share/common-licenses/([A-Za-z0-9.-]*[A-Za-z0-9])", text))
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    for name in sorted(named):
        text = pathlib.Path(f"/usr/share/common-licenses/{name}").read_text(errors="replace")
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    for name in modules_of_page():
        for file in sorted((build / "web" / "node_modules" / name).glob("LICEN[CS]E*")):
            (folder / f"{name.replace('/', '-').lstrip('@')}.txt").write_text(file.read_text(), encoding="utf-8")
