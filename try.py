"""Makes an environment in .venv, installs tilequad into it, and runs the demo or the tests there.

    python3 try.py demo
    python3 try.py tests            all but the slow ones; without a compiler, tests/plain.txt
    python3 try.py tests --all      all of them: an hour as plain Python

Python is all that it needs, so it runs on a machine where nothing else is installed yet. The first
run compiles the trees, while pip installs the rest. Later runs start at once, until a source of
theirs changes.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from itertools import count
from pathlib import Path

ROOT = Path(__file__).resolve().parent
PYTHON = Path(".venv", *(["Scripts", "python.exe"] if os.name == "nt" else ["bin", "python"]))
STAMP = Path(".venv", "try.json")  # what is installed: the state of the sources, and which extras
LOG = Path(".venv", "compile.log")  # what the compiler says
# What pyproject.toml builds with. pip by itself would install it elsewhere, and numpy twice.
BUILDERS = ["setuptools>=80", "cython>=3.3", "numpy>=2"]
# One process for each core, and all tests of a file in the same.
TESTS = ["-m", "pytest", "-n", "auto", "--maxprocesses", "8", "--dist", "loadfile"]
ALL = "`python3 try.py tests --all` runs all of them."
# What each command line needs besides tilequad, what it runs, and what to say then.
TRIES: dict[str, tuple[list[str], list[str], str]] = {
    "demo": (["arcade"], ["examples/frontier.py"], "The demo starts. F1 lists the keys."),
    "tests": (["arcade", "dev"], [*TESTS, "-m", "not slow"], f"Most tests run, in minutes. {ALL}"),
    "tests --all": (["arcade", "dev"], TESTS, "All tests run. As plain Python they take an hour."),
}
PLAIN = [*TESTS, "@tests/plain.txt"], f"Some tests run, for plain Python is slow. {ALL}"
PURPOSES = {"arcade": "arcade, which opens windows", "dev": "what the tests need"}
COMPILED = "import sys, tilequad; sys.exit(not tilequad.COMPILED)"
NEEDS = """
import sys
from importlib.metadata import requires
for need in requires("tilequad"):
    need, _, extra = need.partition(";")
    if sys.argv[1] in extra and not need.startswith("tilequad["):  # that is here already
        print(need.strip())
"""


def main() -> None:
    """Install what is missing, then run what the command line names."""
    wanted = " ".join(sys.argv[1:])
    if wanted not in TRIES:
        sys.exit(f"usage: python3 try.py {' | '.join(TRIES)}")
    extras, command, words = TRIES[wanted]
    os.chdir(ROOT)
    installed = read_stamp()
    with nullcontext() if installed else installing():
        for extra in extras:
            if extra not in installed:
                installed[extra] = install_extra(extra)
    STAMP.write_text(json.dumps({"state": state(), "extras": installed}))
    if wanted == "tests" and not run(PYTHON, "-c", COMPILED, must=False):
        command, words = PLAIN
    say(words)
    run(PYTHON, *command)


def read_stamp() -> dict[str, bool]:
    """The extras that are installed, and whether each could be; empty where tilequad is not."""
    try:
        stamp = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return stamp["extras"] if stamp["state"] == state() else {}


def state() -> str:
    """A hash of all that an installation depends on: the core, its settings, Python, a compiler."""
    folders = [Path("tilequad", name) for name in ("_core", "quadtree")]
    files = [path for folder in folders for path in folder.rglob("*")]
    sources = sorted(path for path in files if path.suffix in (".py", ".pxd"))
    compilers = [shutil.which(name) for name in ("cc", "gcc", "clang", "cl")]
    python_h = Path(sysconfig.get_path("include"), "Python.h").exists()
    # Not sys.version: it tells when Python was built, and apt may upgrade Python while this runs.
    python = sys.implementation.cache_tag, sysconfig.get_config_var("SOABI")
    found = hashlib.sha256(repr((ROOT, python, compilers, python_h)).encode())
    for path in [*map(Path, ("home.py", "make_pyx.py", "pyproject.toml", "setup.py")), *sources]:
        found.update(path.as_posix().encode())
        found.update(path.read_bytes() if path.exists() else b"")
    return found.hexdigest()


@contextmanager
def installing() -> Iterator[None]:
    """Install tilequad, and compile its trees while the block installs the rest."""
    if find_spec("ensurepip") is None:
        install_venv()
    say("This makes a virtual environment in .venv. Only the first run installs anything.")
    run(sys.executable, "-m", "venv", ".venv")
    STAMP.unlink(missing_ok=True)
    say("Now the tools that compile the trees are installed.")
    must_install("--retries", "2", *BUILDERS)
    say(
        "If there is a C compiler, it compiles the trees from here on: about a minute",
        "on two cores, longer on busy ones.",
        f"What it says goes to {LOG}. Meanwhile tilequad is installed, as plain Python.",
    )
    command = [PYTHON, "setup.py", "build_ext", "--inplace"]
    print("+", *command, "&", flush=True)
    with LOG.open("wb") as log:
        compiler = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    try:
        must_install("--no-build-isolation", "--editable", ".[pillow]", TILEQUAD_PURE="1")
        yield
        if compiler.poll() is None:
            say("All packages are installed. The compiler is still at work.")
            wait(compiler)
    except BaseException:
        end(compiler)
        raise
    if compiler.returncode:
        sys.exit(f"The trees cannot be compiled here. The end of {LOG} tells why.")
    if not run(PYTHON, "-c", COMPILED, must=False):
        say("Without a C compiler, the trees run as plain Python: about a hundred times slower.")


def wait(compiler: subprocess.Popen[bytes]) -> None:
    """Wait for the compiler, with a sign of life every ten seconds."""
    for seconds in count(10, 10):
        try:
            compiler.wait(10)
            return
        except subprocess.TimeoutExpired:
            said = LOG.read_bytes()
            parts, begun = said.count(b"\nCompiling "), said.count(b"\nbuilding ")
            print(f"{seconds} s: at part {begun} of {parts}", flush=True)


def end(compiler: subprocess.Popen[bytes]) -> None:
    """Stop the compiler and everything it started: some of it would wait forever."""
    if compiler.poll() is not None:
        return
    if os.name == "posix":
        os.killpg(compiler.pid, signal.SIGTERM)
    else:
        compiler.terminate()
    compiler.wait()


def must_install(*arguments: str, **settings: str) -> None:
    """Install what nothing works without."""
    if not install(*arguments, **settings):
        require_network()
        sys.exit("tilequad cannot be installed here. What pip says above tells why.")


def install_extra(extra: str) -> bool:
    """Install what an extra names. The demo and the tests do without arcade, and show less."""
    say(f"Now {PURPOSES[extra]} is installed.")
    listing = subprocess.run([PYTHON, "-c", NEEDS, extra], stdout=subprocess.PIPE, check=True)
    if install(*listing.stdout.decode().splitlines()):
        return True
    require_network()
    if extra != "arcade":
        sys.exit(f"What {extra!r} needs cannot be installed. What pip says above tells why.")
    # The newest Python is ahead of what arcade builds on: there it takes a compiler.
    say("arcade cannot be installed here. It goes on without.")
    return False


def require_network() -> None:
    """End here if pip cannot download even what every installation starts with."""
    with tempfile.TemporaryDirectory() as folder:
        brief = ["--quiet", "--no-deps", "--no-cache-dir", "--retries", "1", "--timeout", "15"]
        if not pip("download", *brief, "--dest", folder, "setuptools>=80"):
            sys.exit("pip cannot download anything. Is the network down? Try again when it is up.")


def install_venv() -> None:
    """Install the half of venv that Debian and Ubuntu keep in a package of its own."""
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    sudo = ["sudo"] if os.name == "posix" and os.geteuid() else []
    if not all(map(shutil.which, ["apt-get", *sudo])):
        sys.exit(f"This Python makes no environments. Install {package}, then try again.")
    update = [*sudo, "apt-get", "update"]
    install = [*sudo, "apt-get", "install", "-y", package]
    if sudo and not agreed(package, [update, install]):
        sys.exit(f"Install {package}, then try again.")
    # A package source that gives no answer today may have nothing to do with this package.
    run(*update, must=False)
    run(*install)


def agreed(package: str, commands: list[list[str]]) -> bool:
    """Ask before anything runs as root."""
    print(f"To make an environment, Python needs the package {package}. This would install it:")
    print(*("    " + " ".join(command) for command in commands), sep="\n")
    try:
        return input("Run that now? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False


def say(*lines: str) -> None:
    """Tell what happens next, apart from what pip says."""
    print("", *lines, sep="\n", flush=True)


def install(*arguments: str, **settings: str) -> bool:
    """Install packages, and say whether that succeeded."""
    # To compile all their Python to bytecode takes seconds. Python does it for what it imports.
    return pip("install", "--no-compile", *arguments, **settings)


def pip(*arguments: str, **settings: str) -> bool:
    """Run pip in the environment, and say whether it succeeded."""
    command = (PYTHON, "-m", "pip", "--disable-pip-version-check", *arguments)
    return run(*command, must=False, **settings)


def run(*command: str | Path, must: bool = True, **settings: str) -> bool:
    """Show a command, run it, and say whether it succeeded. Where it must, end here if not."""
    print("+", *(f"{name}={value}" for name, value in settings.items()), *command, flush=True)
    status = subprocess.run(command, env=os.environ | settings).returncode
    if must and status:
        sys.exit(status)
    return not status


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
