"""try.py installs and compiles only when it must, asks before it becomes root, says why it ends."""

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def loaded():
    spec = importlib.util.spec_from_file_location("try_script", ROOT / "try.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def script(tmp_path, monkeypatch):
    """try.py in a folder of its own, which notes its commands in `ran` and runs none of them.

    Those that hold a word of `failing` fail, the compiler among them.
    """
    module = loaded()
    module.ROOT, module.ran, module.failing = tmp_path, [], set()

    def run(*command, must=True, **settings):
        module.ran.append(" ".join(map(str, command)))
        fails = module.failing & set(command)
        if fails and must:
            raise SystemExit(1)
        return not fails

    class Compiler:
        def __init__(self, command, **options):
            module.ran.append(" ".join(map(str, command)))
            self.returncode = int(bool(module.failing & set(command)))

        def poll(self):
            return None

        def wait(self, timeout):
            return self.returncode

    names = ("_core/walk.py", "_core/layout.pxd", "quadtree/dynamic.py", "nav/grid.py")
    sources = [tmp_path / "tilequad" / name for name in names]
    for path in (tmp_path / "make_pyx.py", tmp_path / "setup.py", *sources):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n")
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / ".venv").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "run", run)
    monkeypatch.setattr(module.subprocess, "run", requirements)
    monkeypatch.setattr(module.subprocess, "Popen", Compiler)
    monkeypatch.setattr(module, "end", lambda compiler: module.ran.append("ended"))
    monkeypatch.setattr(module, "find_spec", lambda name: name)
    return module


def requirements(command, **options):
    """What the environment's Python says an extra needs: a package of the same name."""
    return subprocess.CompletedProcess(command, 0, stdout=f"{command[-1]}>=1\n".encode())


def play(script, monkeypatch, words="demo"):
    script.ran.clear()
    monkeypatch.setattr(script.sys, "argv", ["try.py", *words.split()])
    script.main()
    return [line.partition(".venv")[2] or line for line in script.ran]


def compiles(ran):
    return sum(line.endswith("setup.py build_ext --inplace") for line in ran)


def test_the_second_run_installs_nothing(script, monkeypatch, capsys):
    first = play(script, monkeypatch)
    assert compiles(first) == 1
    assert sum("--editable ." in line for line in first) == 1
    said = capsys.readouterr().out
    assert "on two cores" in said
    assert "at work" in said
    assert "plain Python: about" not in said

    [only] = play(script, monkeypatch)
    assert only.endswith("examples/frontier.py")


def test_another_command_installs_what_it_needs_and_compiles_nothing(script, monkeypatch):
    play(script, monkeypatch)
    ran = play(script, monkeypatch, "tests")

    assert len(ran) == 3
    assert ran[0].endswith("install --no-compile dev>=1")
    assert "COMPILED" in ran[1]
    assert ran[2].endswith("-m pytest -n auto --maxprocesses 8 --dist loadfile -m not slow")
    assert len(play(script, monkeypatch, "demo")) == 1


def test_it_leaves_slow_tests_out_unless_all_are_asked_for(script, monkeypatch, capsys):
    most, everything = (play(script, monkeypatch, words)[-1] for words in ("tests", "tests --all"))

    assert most == f"{everything} -m not slow"
    assert "`python3 try.py tests --all` runs all of them." in capsys.readouterr().out


def test_the_check_runs_what_it_leaves_out():
    check = (ROOT / ".ci" / "run").read_text("utf-8")
    assert "python3 try.py tests'" in check
    assert ' -m pytest -n 2 --dist loadfile -m slow "${skip[@]}" tests\n' in check
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    skipped = re.findall(r"tests/[\w.*]+", re.search(r"skip=\(--.*", check)[0])
    files = [path.relative_to(ROOT).as_posix() for name in skipped for path in ROOT.glob(name)]
    assert len(files) == 3
    assert all(name in workflow for name in files)


def test_without_a_compiler_it_runs_a_part_of_the_tests_or_all(script, monkeypatch, capsys):
    script.failing = {script.COMPILED}
    part, everything = (play(script, monkeypatch, words)[-1] for words in ("tests", "tests --all"))

    assert part == f"{everything} @tests/plain.txt"
    assert "Some tests run" in capsys.readouterr().out


def test_the_part_that_runs_without_a_compiler_is_there():
    given = (ROOT / "tests" / "plain.txt").read_text("utf-8").split()
    files = [name for name in given if not name.startswith("--")]
    assert "tests/test_quadtree_machine.py" in files
    assert all((ROOT / name).exists() for name in files)


def test_an_unknown_word_ends_it_with_the_usage(script, monkeypatch):
    with pytest.raises(SystemExit, match=r"usage: python3 try\.py demo \| tests"):
        play(script, monkeypatch, "demo --all")


def test_a_compiler_that_takes_its_time_gives_signs_of_life(script, capsys):
    script.LOG.write_text("running\nCompiling a.py\nCompiling b.py\nbuilding 'a' extension\n")

    class Slow:
        left = 2

        def wait(self, timeout):
            if self.left:
                self.left -= 1
                raise subprocess.TimeoutExpired("compiler", timeout)

    script.wait(Slow())

    assert capsys.readouterr().out.split("\n") == [
        *("10 s: at part 1 of 2", "20 s: at part 1 of 2", "")
    ]


@pytest.mark.parametrize(
    ("path", "times"),
    [
        ("tilequad/_core/walk.py", 1),
        ("tilequad/_core/layout.pxd", 1),
        ("tilequad/quadtree/dynamic.py", 1),
        ("make_pyx.py", 1),
        ("setup.py", 1),
        ("pyproject.toml", 1),
        ("tilequad/nav/grid.py", 0),
    ],
)
def test_only_a_change_of_the_core_or_its_settings_compiles_again(path, times, script, monkeypatch):
    play(script, monkeypatch)
    Path(path).write_text("x = 2\n")

    assert compiles(play(script, monkeypatch)) == times


def test_a_compiler_that_came_since_compiles(script, monkeypatch):
    monkeypatch.setattr(script.shutil, "which", lambda name: None)
    play(script, monkeypatch)
    monkeypatch.setattr(script.shutil, "which", lambda name: f"/usr/bin/{name}")

    assert compiles(play(script, monkeypatch)) == 1


def test_it_compiles_while_it_installs_the_rest(script, monkeypatch):
    ran = play(script, monkeypatch)
    at = [
        next(i for i, line in enumerate(ran) if word in line)
        for word in ("cython", "build_ext", "--editable", "arcade>=1", "COMPILED", "frontier")
    ]

    assert at == sorted(at)


def test_it_builds_with_what_pyproject_names(script):
    settings = (ROOT / "pyproject.toml").read_text()

    assert f"requires = {json.dumps(script.BUILDERS)}" in settings


def test_without_a_compiler_it_says_what_that_means(script, monkeypatch, capsys):
    script.failing = {script.COMPILED}
    ran = play(script, monkeypatch)

    assert ran[-1].endswith("examples/frontier.py")
    assert "plain Python: about a hundred times slower" in capsys.readouterr().out


def test_a_compiler_that_must_and_cannot_ends_it(script, monkeypatch):
    script.failing = {"setup.py"}
    with pytest.raises(SystemExit, match=r"compile\.log"):
        play(script, monkeypatch)

    assert not script.STAMP.exists()


def test_a_compiler_does_not_outlive_it(script, monkeypatch):
    script.failing = {"--editable"}
    with pytest.raises(SystemExit, match="cannot be installed"):
        play(script, monkeypatch)

    assert script.ran[-1] == "ended"


PARENT = """
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "print(1, flush=True); import time; time.sleep(60)"])
time.sleep(60)
"""


@pytest.mark.skipif(os.name != "posix", reason="Windows has no process groups like these")
def test_what_a_compiler_has_started_ends_with_it():
    script = loaded()
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as compiler:
        assert compiler.stdout.readline() == b"1\n"
        script.end(compiler)

        assert compiler.returncode == -signal.SIGTERM
        assert compiler.stdout.read() == b""  # its child held the pipe open, and is gone


def test_without_arcade_it_goes_on(script, monkeypatch, capsys):
    script.failing = {"arcade>=1"}
    ran = play(script, monkeypatch)

    assert ran[-1].endswith("examples/frontier.py")
    assert "without" in capsys.readouterr().out
    assert json.loads(script.STAMP.read_text())["extras"] == {"arcade": False}


@pytest.mark.parametrize("failing", [{"download", "cython>=3.3"}, {"download", "--editable"}])
def test_without_a_network_it_says_so(failing, script, monkeypatch, capsys):
    script.failing = failing
    with pytest.raises(SystemExit, match="Is the network down"):
        play(script, monkeypatch)

    assert "arcade" not in capsys.readouterr().out
    assert not script.STAMP.exists()


def test_a_network_that_goes_down_is_not_arcades_fault(script, monkeypatch, capsys):
    play(script, monkeypatch)
    script.STAMP.write_text(script.STAMP.read_text().replace("arcade", "other"))
    script.failing = {"download", "arcade>=1"}

    with pytest.raises(SystemExit, match="Is the network down"):
        play(script, monkeypatch)
    assert "arcade cannot" not in capsys.readouterr().out


@pytest.mark.parametrize(("answer", "goes_on"), [("y", True), ("n", False), ("", False)])
def test_it_asks_before_sudo(answer, goes_on, script, monkeypatch, capsys):
    monkeypatch.setattr(script.os, "name", "posix")
    monkeypatch.setattr(script.os, "geteuid", lambda: 1000, raising=False)
    monkeypatch.setattr(script.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr("builtins.input", lambda question: answer)
    if goes_on:
        script.install_venv()
    else:
        with pytest.raises(SystemExit, match="then try again"):
            script.install_venv()

    assert ["sudo" in line for line in script.ran] == [True, True] * goes_on
    assert "sudo apt-get install -y python3" in capsys.readouterr().out
