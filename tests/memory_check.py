"""The compiled core under AddressSanitizer and UBSan, or under valgrind, through a long run.

    python -m tests.memory_check tests.long_run --operations 100000
    python -m tests.memory_check tests.ai_long_run --ticks 500
    python -m tests.memory_check pytest tests/test_nav_fields.py
    python -m tests.memory_check --valgrind tests.long_run --operations 50000

Builds the core into a folder of its own, which takes a C compiler and some minutes, and runs a
module on it. Ends with code 1 if a tool finds something in the core. Valgrind also finds fault with
Python's way of importing; what does not pass through the core is counted, but does not fail the
run.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SANITIZE = "-g -fno-omit-frame-pointer -fsanitize=address,undefined"
FINDING = re.compile(r"Invalid |uninitialized|Mismatched|overlap|illegal|Jump to")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--valgrind", action="store_true", help="valgrind, not the sanitizers")
    parser.add_argument("run", nargs=argparse.REMAINDER, help="the module to run, its arguments")
    options = parser.parse_args()
    if not options.run:
        parser.error("name a module to run, such as tests.long_run")
    run = [sys.executable, "-m", *options.run]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.valgrind:
            build(folder, "-g")
            return under_valgrind(run, folder)
        build(folder, SANITIZE)
        return sanitized(run, folder)


def build(folder: Path, flags: str) -> None:
    """Install tilequad into a folder, its core compiled with these flags; the tests beside it.

    From a copy of the sources: setuptools would keep what it has compiled in `build`, for whoever
    installs from there next, and take what others have left there, whatever their flags were.
    """
    source = folder / "source"
    compiled = shutil.ignore_patterns(".*", "build", "*.so", "*.pyd", "*.c", "__pycache__")
    shutil.copytree(ROOT, source, ignore=compiled)
    install = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), str(source)]
    environment = {**os.environ, "CFLAGS": flags, "LDFLAGS": flags}
    subprocess.run([sys.executable, *install], env=environment, check=True)
    if not list(folder.glob("tilequad/_core/**/*.so")):
        sys.exit("the core was not compiled")
    (folder / "tests").symlink_to(ROOT / "tests")


def sanitized(run: list[str], folder: Path) -> int:
    """Run with the sanitizers, which stop at the first finding."""
    environment = {
        **os.environ,
        "LD_PRELOAD": f"{library('asan')} {library('stdc++')}",  # which shapely throws with
        "ASAN_OPTIONS": "detect_leaks=0",  # Python keeps much until it ends
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
    }
    return subprocess.run(run, cwd=folder, env=environment).returncode


def under_valgrind(run: list[str], folder: Path) -> int:
    """Run in valgrind, and look through what it says for the core's files."""
    log = folder / "valgrind.log"
    valgrind = ["valgrind", "--num-callers=30", "--error-limit=no", f"--log-file={log}"]
    valgrind.append("--vex-guest-max-insns=25")  # in its usual steps it runs out of its own memory
    environment = {**os.environ, "PYTHONMALLOC": "malloc"}
    status = subprocess.run([*valgrind, *run], cwd=folder, env=environment).returncode
    blocks = re.split(r"\n==\d+== \n", log.read_text())
    findings = [block for block in blocks if FINDING.search(block)]
    # Cython names its functions after the module.
    ours = [block for block in findings if "8tilequad_" in block]
    print(f"{len(findings)} findings, {len(ours)} of them in the core", *ours, sep="\n")
    if status:
        print(f"the run ended with {status}:", *blocks[-1].splitlines()[-20:], sep="\n")
    return status or int(bool(ours))


def library(name: str) -> str:
    """The path of a sanitizer's library, which must be loaded before Python."""
    compiler = os.environ.get("CC", "cc")
    found = subprocess.run(
        [compiler, f"-print-file-name=lib{name}.so"], capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
