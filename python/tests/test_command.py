"""The program that comes with the package. Needs nothing but pytest."""

import pathlib
import signal
import subprocess
import sys
import urllib.request

import pytest

import tavoliere

SCRIPT = [str(pathlib.Path(sys.executable).with_name("tavoliere"))]
MODULE = [sys.executable, "-m", "tavoliere"]
SMALL = [
    f"--set={key}"
    for key in (
        "network.channels=4",
        "network.blocks=1",
        "selfplay.games=16",
        "selfplay.simulations=4",
        "learner.batch=16",
        "evaluation.games=2",
    )
]


def run(words, *arguments, given="", status=0):
    """Runs the program and returns its standard output; its standard error if it is to fail."""
    done = subprocess.run([*words, *arguments], input=given, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    return done.stderr if status else done.stdout


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("words", [SCRIPT, MODULE])
def test_it_has_the_games_help_and_exit_status_of_the_program(words):
    assert [line.split()[0] for line in run(words, "games").splitlines()].count("susan") == 1
    assert run(words, "--version") == f"tavoliere {tavoliere.__version__}\n"
    assert "Usage: tavoliere train " in run(words, "train", "--help")
    assert run(words, "train", "chess", status=2).startswith("tavoliere: ")
    assert run(words, "play", "nobody", status=1).startswith("tavoliere: ")
    assert run(words, "trian", status=2).startswith("error: ")


@pytest.mark.parametrize("words", [SCRIPT, MODULE])
def test_it_trains_and_python_plays_with_the_run(words):
    said = run(words, "train", "tic_tac_toe", "--iterations", "2", *SMALL)
    assert f"play against it: {' '.join(words)} play checkpoints/tic_tac_toe" in said
    runs = ["checkpoints/tic_tac_toe", "checkpoints/tic_tac_toe@1", "policy:checkpoints/tic_tac_toe@0"]
    for player in map(tavoliere.Player, runs):
        assert player.game == "tic_tac_toe" and player.best(["a1"]) in player.analyze(["a1"])["legal"]
    with pytest.raises(ValueError, match="checkpoints/tic_tac_toe@7"):
        tavoliere.Player("checkpoints/tic_tac_toe@7")
    run(words, "export", "checkpoints/tic_tac_toe", "--output", "mine")
    assert tavoliere.Player("mine").best() in tavoliere.Player("mine").analyze()["legal"]


@pytest.mark.parametrize("words", [SCRIPT, MODULE])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_training_that_is_stopped_is_saved_and_resumed(words, number):
    train = [*words, "train", "tic_tac_toe", "--run", "run", *SMALL]
    with subprocess.Popen(train, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while "   1/" not in (line := process.stdout.readline()):
            assert line, process.stderr.read()
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 0 and "saved in run" in stdout, (stdout, stderr)
    assert stderr == "stopping; press Ctrl-C again to stop at once\n"
    at = int(pathlib.Path("run/latest").read_text())
    assert at >= 1
    run(words, "train", "run", "--iterations", str(at + 1))
    assert int(pathlib.Path("run/latest").read_text()) == at + 1


@pytest.mark.parametrize("words", [SCRIPT, MODULE])
def test_what_has_nothing_to_save_ends_at_once(words):
    engine = [*words, "engine", "--player", "random", "--game", "susan"]
    pipe = subprocess.PIPE
    with subprocess.Popen(engine, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        process.stdin.write("name\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith("= ")
        process.send_signal(signal.SIGINT)
        assert (process.wait(timeout=60), process.stderr.read()) == (130, "")


def test_it_plays_what_is_typed():
    said = run(SCRIPT, "play", "tic_tac_toe", "--simulations", "4", given="b2\nquit\n")
    assert "2 . x .\n" in said and "plays " in said


def test_it_serves_until_it_is_stopped():
    serve = [*SCRIPT, "serve", "--port", "0"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        address = server.stdout.readline().strip()
        with urllib.request.urlopen(f"{address}api/games") as answer:
            assert b'"susan"' in answer.read()
        with urllib.request.urlopen(address) as page:
            assert b"<html" in page.read()
        server.send_signal(signal.SIGINT)
        assert (server.wait(timeout=60), server.stderr.read()) == (0, "")


def test_a_reader_that_closes_its_end_is_no_error():
    licences = [*SCRIPT, "licences"]
    with subprocess.Popen(licences, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        process.stdout.close()
        assert (process.wait(timeout=60), process.stderr.read()) == (0, "")


@pytest.mark.parametrize("words", [SCRIPT, MODULE])
def test_it_starts_itself_again(words):
    sweep = ["sweep", "tic_tac_toe", "--vary", "replay.reuse=2", "--iterations", "1", "--seeds", "2"]
    run(words, *sweep, "--games", "4", "--simulations", "4", "--out", "sweep", *SMALL)
    engine = f"gtp:{' '.join(words)} engine --player random"
    match = run(words, "match", engine, "random", "--game", "tic_tac_toe", "--games", "2", "--json")
    assert '"games"' in match


def test_the_program_needs_no_numpy():
    check = "import sys, tavoliere.__main__; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", check], check=True)
