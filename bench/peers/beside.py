"""What the comparisons with other programs share: CPU time of a command, and the record of a run."""
import datetime
import json
import os
import pathlib
import platform
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def cpu_of(*command, good=(0, 1), **options):
    """Seconds of user and system time of a command and its children, and what it printed."""
    options.setdefault("stderr", subprocess.DEVNULL)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in good:
        sys.exit(f"{sys.argv[0]}: {' '.join(map(str, command))} failed")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def stand_ins(folder, modules):
    """An environment in which Python finds these texts in the place of modules that are not installed."""
    for name, text in modules.items():
        try:
            __import__(name)
        except ImportError:
            place = folder.joinpath(*name.split("."))
            place.mkdir(parents=True)
            (place / "__init__.py").write_text(text)
    return {**os.environ, "PYTHONPATH": str(folder)}


def write_record(path, peer, checkout, command, rows):
    """For tools/performance-page."""
    def git(*words):
        return subprocess.run(["git", "-C", checkout, *words], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    name, repository = peer
    record = {"peer": name, "repository": repository, "commit": git("rev-parse", "--short", "HEAD"), "command": command,
              "date": datetime.date.today().isoformat(), "machine": platform.processor() or platform.machine(),
              "load": os.getloadavg()[0], "rows": rows}
    path.write_text(json.dumps(record, indent=1) + "\n")
