"""Makes an environment in .venv, installs tilequad into it, and runs the demo or the tests there.

    python3 try.py demo
    python3 try.py tests

It asks for nothing but Python, so it runs on a machine where nothing else is installed yet.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent
PYTHON = Path(".venv", *(["Scripts", "python.exe"] if os.name == "nt" else ["bin", "python"]))
# What each word of the command line installs, the same without arcade, and what it runs.
TRIES: dict[str, tuple[str, str, list[str]]] = {
    "demo": (".[arcade]", ".", ["examples/frontier.py"]),
    "tests": (".[arcade,dev]", ".[dev]", ["-m", "pytest"]),
}


def main() -> None:
    """Run what the command line names."""
    if len(sys.argv) != 2 or sys.argv[1] not in TRIES:
        sys.exit(f"usage: python3 try.py {' | '.join(TRIES)}")
    wanted, enough, command = TRIES[sys.argv[1]]
    os.chdir(ROOT)
    if find_spec("ensurepip") is None:
        install_venv()
    run(sys.executable, "-m", "venv", ".venv")
    # The newest Python is ahead of what arcade builds on: there a compiler is wanted for that. The
    # demo and the tests do without arcade, the one with a picture, the other with fewer tests.
    if not run(PYTHON, "-m", "pip", "install", "-e", wanted, must=False):
        print("arcade cannot be installed here: now without it", flush=True)
        run(PYTHON, "-m", "pip", "install", "-e", enough)
    run(PYTHON, *command)


def install_venv() -> None:
    """Debian and Ubuntu keep half of venv in a package of its own."""
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    sudo = ["sudo"] if os.name == "posix" and os.geteuid() else []
    if not all(map(shutil.which, ["apt-get", *sudo])):
        sys.exit(f"This Python makes no environments: install {package}, then try again.")
    # A source that gives no answer today may have nothing to do with the package.
    run(*sudo, "apt-get", "update", must=False)
    run(*sudo, "apt-get", "install", "-y", package)


def run(*command: str | Path, must: bool = True) -> bool:
    """Show a command, run it, and say whether it went well. Where it must, its failure is ours."""
    print("+", *command, flush=True)
    status = subprocess.run(command).returncode
    if must and status:
        sys.exit(status)
    return not status


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
