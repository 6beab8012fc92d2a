"""Hue and dash belong to the experiment; no two runs of a page look alike while looks last."""

from __future__ import annotations

import re
from dataclasses import replace

from components.style import looks, mark, run_info, run_key, uid
from data_loaders.schema import Run


def run(id_: str, label: str = "", track: str = "2b", logs: tuple[str, ...] = (), **options: object) -> Run:
    return Run(
        id=id_, label=label, track=track, algorithm="grpo", logs=logs, segments=(), keys=(),
        first=1, last=2, facts=(), options=options,
    )  # fmt: skip


def test_labels_keep_their_hue_whoever_else_is_there() -> None:
    assert looks([run("c", "E3")]) == {"c": (3, 0)}
    assert looks([run("a", "E1"), run("c", "E3"), run("f", "E6")]) == {"a": (1, 0), "c": (3, 0), "f": (1, 1)}


def test_a_second_run_of_a_label_is_dashed() -> None:
    found = looks([run("e3", "E3"), run("e3#2", "E3")])
    assert found == {"e3": (3, 0), "e3#2": (3, 1)}


def test_tracks_do_not_take_looks_from_each_other() -> None:
    assert set(looks([run("a", "E3", "2b"), run("b", "E3", "4b")]).values()) == {(3, 0)}


def test_runs_without_label_differ_and_keep_their_look() -> None:
    runs = [run(f"run{n}") for n in range(12)]
    found = looks(runs)
    assert len(set(found.values())) == 12
    assert looks(list(reversed(runs))) == found


def test_fifteen_runs_without_label_carry_fifteen_marks() -> None:
    runs = [run(f"run{n}") for n in range(15)]
    found = looks(runs)
    assert len({mark(run_info(one, found[one.id])).className for one in runs}) == 15


def test_runs_keep_their_look_when_later_ones_join() -> None:
    """Ids of later runs sort before, between and after those of earlier ones."""
    days = (3, 1, 4, 2, 5, 9, 6, 7, 8, 10)
    born = [
        run(f"{name}{n}", label, logs=(f"/logs/train_202607{day:02}_120000.log",))
        for n, (name, day) in enumerate(zip("mzabmcyakq", days, strict=True))
        for label in ("", "E2")
    ]
    born.sort(key=lambda one: one.logs)
    labelled, bare = [r for r in born if r.label], [r for r in born if not r.label]
    for runs in (labelled, bare):
        known: dict[str, tuple[int, int]] = {}
        for count in range(1, len(runs) + 1):
            found = looks(runs[:count])
            assert {id_: found[id_] for id_ in known} == known
            known = found
        assert len(set(known.values())) == len(runs)


def test_board_toml_chooses_the_hue() -> None:
    assert looks([run("a", "E1", slot=4)]) == {"a": (4, 0)}


def test_uid_carries_hue_role_and_run() -> None:
    info = run_info(run("e3_drgrpo_2b", "E3"), (3, 0))
    assert re.fullmatch(r"e3_ma_r[0-9a-f]{5}", uid(info, "ma"))
    assert info.key == run_key("e3_drgrpo_2b")
    assert info.mark == "E3"
    assert replace(info, label="").mark == "e3_drgrpo_2b"


def test_names_of_any_bytes_have_a_key() -> None:
    assert run_key("a\udcff") != run_key("a")
