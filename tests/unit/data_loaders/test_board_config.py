"""board.toml: what is read, and how mistakes are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from data_loaders.board_config import EXAMPLE, BoardConfig, ConfigError, load_config, read_config


def write(folder: Path, text: str) -> Path:
    path = folder / "board.toml"
    path.write_text(text, encoding="utf-8")
    return path


def problems(folder: Path, text: str) -> dict[str, str]:
    """Message keys by key path."""
    return {problem.path: problem.key for problem in read_config(write(folder, text))[1]}


def test_example_is_right_and_shows_every_key(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, EXAMPLE))
    assert config.logs == (tmp_path / "archive", tmp_path / "logs")
    assert config.title == ("RL 实验看板", "RL Board")
    assert config.hardware == ("A100-80GB", "A100-80GB")
    assert [track.id for track in config.tracks] == ["2b", "4b", "multimodal", "7b", "other"]
    two = config.tracks[0]
    assert two.track.title == ("2B 训练", "2B training")
    assert (two.response_cap, two.window, two.reward_scale) == (16384, (1, 129), (-1.0, 1.0))
    assert two.validation_items == {"aime_2024": 30, "math_500": 500}
    assert config.experiments["scratch"].hidden
    assert config.experiments["e3_drgrpo_2b"].algorithm == "dr_grpo"
    assert config.colours == {"E6": 2}


def test_three_lines_make_a_track(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, '[tracks.7b]\nmatch = ["7b"]\ntitle = "7B"\n'))
    track = next(entry.track for entry in config.tracks if entry.id == "7b")
    assert (track.title, track.heading) == (("7B", "7B"), ("7B", "7B"))
    assert track.names == track.contents == ("7b",)


def test_one_language_stands_for_both(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, 'title = {en = "Board"}\n[tracks.2b]\nnotes = {zh = "注"}\n'))
    assert config.title == ("Board", "Board")
    assert config.tracks[0].notes == ("注", "注")


def test_options_of_a_run_come_before_those_of_its_track(tmp_path: Path) -> None:
    config = load_config(
        write(
            tmp_path,
            "[tracks.2b]\nresponse_cap = 16384\nwindow = [1, 129]\n"
            '[experiments.e7]\nresponse_cap = 8192\ntitle = "short"\n'
            "[colours]\nE7 = 4\nE8 = 1\n"
            "[experiments.e8]\ncolour = 5\n",
        )
    )
    assert config.options("2b", "e7", "E7") == {
        "response_cap": 8192,
        "window": (1, 129),
        "title": ("short", "short"),
        "slot": 4,
    }
    assert config.options("2b", "e8", "E8")["slot"] == 5
    assert config.options("4b", "e9", "") == {}


def test_without_a_file_the_catalogue_holds() -> None:
    config = BoardConfig()
    assert [track.id for track in config.tracks] == ["2b", "4b", "multimodal", "other"]
    assert config.options("2b", "x", "E1") == {}


@pytest.mark.parametrize(
    ("text", "path", "key"),
    [
        ("logz = ['a']", "logz", "config.near"),
        ("frobnicate = 1", "frobnicate", "config.unknown"),
        ("title = 3", "title", "config.wrong"),
        ("title = {cn = 'x'}", "title", "config.wrong"),
        ("title = {}", "title", "config.wrong"),
        ('title = "a\\u0000b"', "title", "config.wrong"),
        ("logs = [1]", "logs", "config.wrong"),
        ('logs = ["\\u0000"]', "logs", "config.wrong"),
        ("tracks = 4", "tracks", "config.wrong"),
        ("[tracks]\n2b = 3", "tracks.2b", "config.wrong"),
        ('[tracks."../x"]\ntitle="x"', 'tracks."../x"', "config.wrong"),
        ("[tracks.overview]\ntitle='x'", "tracks.overview", "config.wrong"),
        ("[tracks.2b]\nwindow = [129, 1]", "tracks.2b.window", "config.wrong"),
        ("[tracks.2b]\nwindow = [1, 2.5]", "tracks.2b.window", "config.wrong"),
        ("[tracks.2b]\nwindow = [true, 2]", "tracks.2b.window", "config.wrong"),
        ("[tracks.2b]\nreward_scale = [0, inf]", "tracks.2b.reward_scale", "config.wrong"),
        ("[tracks.2b]\nresponse_cap = true", "tracks.2b.response_cap", "config.wrong"),
        ("[tracks.2b]\nresponse_cap = 0", "tracks.2b.response_cap", "config.wrong"),
        ("[tracks.2b]\nvalidation_items = {a = 0}", "tracks.2b.validation_items", "config.wrong"),
        ("[tracks.2b]\nmatch = []\nmodle = 'x'", "tracks.2b.modle", "config.near"),
        ("[experiments.x]\ntrack = '9b'", "experiments.x.track", "config.wrong"),
        ("[experiments.x]\nalgorithm = 'drgrpo'", "experiments.x.algorithm", "config.wrong"),
        ("[experiments.x]\nlabel = 'E1,E2'", "experiments.x.label", "config.wrong"),
        ("[experiments.x]\nhidden = 'yes'", "experiments.x.hidden", "config.wrong"),
        ("[experiments.x]\ncolour = 6", "experiments.x.colour", "config.wrong"),
        ("[colours]\nE1 = '#ff0000'", "colours.E1", "config.wrong"),
        ("colours = 1", "colours", "config.wrong"),
        ("a = [", "", "config.unreadable"),
        ("a = " + "[" * 5000, "", "config.unreadable"),
        ("a = 1\na = 2", "", "config.unreadable"),
    ],
)
def test_mistakes_are_named_and_everything_else_counts(
    tmp_path: Path, text: str, path: str, key: str
) -> None:
    assert problems(tmp_path, text) == {path: key}


def test_right_values_beside_wrong_ones_are_kept(tmp_path: Path) -> None:
    text = "[tracks.2b]\nwindow = 1\nresponse_cap = 100\n[experiments.x]\nlabel = 3\ntrack = '2b'\n"
    config, found = read_config(write(tmp_path, text))
    assert len(found) == 2
    assert (config.tracks[0].window, config.tracks[0].response_cap) == (None, 100)
    assert (config.experiments["x"].label, config.experiments["x"].track) == (None, "2b")


def test_error_lists_all_problems_with_place_and_expectation(tmp_path: Path) -> None:
    text = "[tracks.2b]\nwindow = '1-129'\n[experiments.x]\nlabl = 'E1'\nalgorithm = 'dr_grp'\n"
    with pytest.raises(ConfigError) as caught:
        load_config(write(tmp_path, text))
    assert str(caught.value).splitlines() == [
        'board.toml: tracks.2b.window: expected [first, last] such as [1, 129], got "1-129"',
        "board.toml: experiments.x.labl: unknown key, did you mean label?",
        'board.toml: experiments.x.algorithm: expected "dr_grpo", got "dr_grp"',
    ]


def test_files_that_cannot_be_read_are_problems(tmp_path: Path) -> None:
    missing = read_config(tmp_path / "none.toml")
    assert missing[1][0].key == "config.unreadable"
    assert [track.id for track in missing[0].tracks] == ["2b", "4b", "multimodal", "other"]
    assert read_config(tmp_path)[1][0].key == "config.unreadable"
    (tmp_path / "latin.toml").write_bytes(b'title = "\xe9"')
    assert read_config(tmp_path / "latin.toml")[1][0].key == "config.unreadable"
    (tmp_path / "large.toml").write_bytes(b"#" * (1 << 20) + b"\n")
    assert "larger" in read_config(tmp_path / "large.toml")[1][0].values["error"]


def test_experiment_may_use_a_track_of_the_same_file(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, "[experiments.x]\ntrack = '7b'\n[tracks.7b]\nmatch = '7b'\n"))
    assert config.experiments["x"].track == "7b"


def test_home_folder_in_a_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    config = load_config(write(tmp_path, 'logs = ["~/runs", "/srv/logs", "../up"]\n'))
    assert config.logs == (tmp_path / "home" / "runs", Path("/srv/logs"), tmp_path / ".." / "up")
