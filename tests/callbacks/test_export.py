"""The CSV route gives the bytes of the command line for the same question."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

import pandas as pd
import pytest
from flask.testing import FlaskClient

from app.__main__ import main
from data_loaders.board import BoardReader

SAME: tuple[tuple[str, Sequence[str]], ...] = (
    ("", ()),
    ("exp=E3&track=2b&steps=133-140&metrics=grad_norm,entropy",
     ("--experiments", "E3", "--track", "2b", "--steps", "133-140", "--metrics", "grad_norm,entropy")),
    ("exp=e3_drgrpo_2b&wide=1&smooth=mean5",
     ("--experiments", "e3_drgrpo_2b", "--wide", "--smooth", "mean5")),
    ("ep=e3_drgrpo_2b:133", ("--episode", "e3_drgrpo_2b:133")),
    ("ep=e3_drgrpo_2b:130-138&metrics=actor/grad_norm&superseded=1",
     ("--episode", "e3_drgrpo_2b:130-138", "--metrics", "actor/grad_norm", "--superseded")),
    ("exp=E3&track=multimodal", ("--experiments", "E3", "--track", "multimodal")),
    ("exp=E2&metrics=grad_norm&steps=43&lang=en&theme=dark&unknown=x",
     ("--experiments", "E2", "--metrics", "grad_norm", "--steps", "43")),
)  # fmt: skip


@pytest.mark.parametrize(("link", "words"), SAME)
def test_the_link_and_the_command_give_the_same_bytes(
    client: FlaskClient,
    reader: BoardReader,
    capfdbinary: pytest.CaptureFixture[bytes],
    link: str,
    words: Sequence[str],
) -> None:
    answer = client.get(f"/csv?{link}")
    assert main(["csv", "--demo", "--cache-dir", str(reader.cache_dir), *words]) == 0
    printed = capfdbinary.readouterr().out
    assert answer.status_code == 200
    assert answer.data == printed
    assert answer.data.startswith(b"\xef\xbb\xbfexperiment,")


def test_an_episode_is_its_run_over_its_steps(client: FlaskClient) -> None:
    read = pd.read_csv(io.BytesIO(client.get("/csv?ep=e3_drgrpo_2b:133&metrics=grad_norm,ppo_kl").data))
    assert len(read) == 16
    assert set(read["experiment"]) == {"e3_drgrpo_2b"}
    assert sorted(set(read["step"])) == list(range(133, 141))


@pytest.mark.parametrize(
    "link",
    ["steps=a", "steps=1-2-3", "steps=-4", "smooth=mean7", "smooth=%3Cscript%3E", "ep=nobody:12", "ep=x"],
)
def test_a_bad_question_is_answered_in_words(client: FlaskClient, link: str) -> None:
    answer = client.get(f"/csv?{link}")
    assert answer.status_code == 400
    assert answer.mimetype == "text/plain"
    assert re.match(r"steps must|smooth must|no episode", answer.text)


@pytest.mark.parametrize("words", [("--steps", "a"), ("--smooth", "mean7"), ("--episode", "nobody:12")])
def test_so_is_a_bad_command(
    reader: BoardReader, words: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["csv", "--demo", "--cache-dir", str(reader.cache_dir), *words])
    assert ended.value.code == 2
    assert capsys.readouterr().out == ""


def test_the_answer_is_a_file_with_a_safe_name(client: FlaskClient) -> None:
    answer = client.get("/csv?exp=%22%0D%0ASet-Cookie:%20a=b,..%2F..%2Fetc&steps=133-140")
    assert answer.mimetype == "text/csv"
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in answer.headers
    assert re.fullmatch(
        r'attachment; filename="rl-board_[A-Za-z0-9._+-]+_133-140\.csv"',
        answer.headers["Content-Disposition"],
    )
    assert not answer.is_streamed or answer.data
