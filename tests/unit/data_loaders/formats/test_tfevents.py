"""Event files, against what TensorBoard's own writer and reader say."""

from __future__ import annotations

import math
import random
import struct
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data_loaders.formats.tfevents import masked_crc
from data_loaders.read import read_log
from tests.unit.data_loaders.formats.feeding import assert_any_chunking, claimed, read
from tests.unit.data_loaders.formats.foreign_logs import REWARDS, event, tfevents

NAME = "events.out.tfevents.1780000000.host"


def test_rows_are_steps_and_lines_are_records() -> None:
    log = read(tfevents(), NAME)
    assert log.steps == [1, 2, 3, 4]
    assert log.lines.line.tolist() == [2, 4, 6, 8]
    assert log.facts.physical_lines == 9
    assert (log.facts.clock_start, log.facts.clock_end) == (1_780_000_000.0, 1_780_000_004.5)


def test_the_masked_checksum_is_that_of_the_standard() -> None:
    """CRC-32C of "123456789" is E3069283."""
    crc = 0xE3069283
    assert masked_crc(b"123456789") == (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def test_a_record_being_written_waits_and_a_damaged_one_ends_the_reading() -> None:
    whole = tfevents()
    log = read(whole[:-5], NAME)
    assert log.cells("actor/pg_loss")[-1][0] == 3
    assert not log.facts.remarks
    at = len(event(0, {}, 1.0)) + len(event(1, {"critic/score/mean": 1.0}, 1.0))
    broken = whole[:at] + b"\x07" + whole[at + 1 :]
    log = read(broken, NAME)
    assert {key: log.cells(key) for key in log.columns} == {"critic/score/mean": [(1, 0.25)]}
    assert log.facts.remarks == ("report.events_damaged",)
    assert_any_chunking(claimed(broken, NAME), broken, rounds=30)


def test_counters_that_run_apart_are_kept_apart() -> None:
    records = [event(0, {}, 1.0)]
    for step in range(1, 6):
        records += [
            event(step, {"rollout/reward": float(step)}, 1.0),
            event(20 * step, {"train/loss": 0.5}, 1.0),
        ]
    log = read(b"".join(records), NAME)
    assert log.cells("rollout/reward") == [(step, float(step)) for step in range(1, 6)]
    assert log.cells("train/loss") == [(20 * step, 0.5) for step in range(1, 6)]


@pytest.fixture
def board() -> Iterator[dict[str, Any]]:
    """The released reader and writer, with what they need of the package."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("tensorboard", reason="tensorboard is not installed")
        from tensorboard.backend.event_processing import event_accumulator
        from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2, tensor_shape_pb2
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        yield {
            "accumulator": event_accumulator, "event": event_pb2, "summary": summary_pb2,
            "tensor": tensor_pb2, "shape": tensor_shape_pb2, "writer": EventFileWriter,
        }  # fmt: skip


def test_a_folder_of_the_released_writer(board: dict[str, Any], tmp_path: Path) -> None:
    """Scalars as old and as new writers keep them; the values are those of TensorBoard's own reader."""
    kit = board
    chance = random.Random(5)
    writer = kit["writer"](str(tmp_path))
    value, tensor = kit["summary"].Summary.Value, kit["tensor"].TensorProto
    for step in range(0, 60, 3):
        number = chance.uniform(-1e3, 1e3)
        kinds = [
            value(tag="actor/entropy", simple_value=number),
            value(tag="nan", simple_value=math.nan),
            value(tag="float_val", tensor=tensor(dtype=1, float_val=[number])),
            value(tag="double", tensor=tensor(dtype=2, double_val=[number])),
            value(tag="content", tensor=tensor(dtype=1, tensor_content=struct.pack("<f", number))),
            value(tag="int", tensor=tensor(dtype=9, int64_val=[-step])),
            value(tag="half", tensor=tensor(dtype=19, tensor_content=np.float16(0.5).tobytes())),
            value(tag="text", tensor=tensor(dtype=7, string_val=[b"words"])),
            value(
                tag="vector",
                tensor=tensor(
                    dtype=1,
                    tensor_shape=kit["shape"].TensorShapeProto(
                        dim=[kit["shape"].TensorShapeProto.Dim(size=2)]
                    ),
                    tensor_content=struct.pack("<2f", 1, 2),
                ),
            ),
        ]
        for each in kinds:
            summary = kit["summary"].Summary(value=[each])
            writer.add_event(kit["event"].Event(step=step, wall_time=1.78e9 + step, summary=summary))
    writer.close()
    (path,) = tmp_path.iterdir()
    log = read_log(path)
    accumulator = kit["accumulator"].EventAccumulator(
        str(tmp_path), size_guidance={kit["accumulator"].TENSORS: 0, kit["accumulator"].SCALARS: 0}
    )
    accumulator.Reload()
    for tag in accumulator.Tags()["scalars"]:
        theirs = [(each.step, each.value) for each in accumulator.Scalars(tag)]
        np.testing.assert_array_equal(cells(log, tag), theirs, err_msg=tag)
    tensors = {"float_val": "float_val", "double": "double_val", "int": "int64_val"}
    for tag, field in tensors.items():
        theirs = [(each.step, getattr(each.tensor_proto, field)[0]) for each in accumulator.Tensors(tag)]
        np.testing.assert_array_equal(cells(log, tag), theirs, err_msg=tag)
    assert accumulator.Tags()["scalars"]
    assert cells(log, "content") == cells(log, "float_val")
    assert cells(log, "half")[3] == (9, 0.5)
    assert set(log.columns) == {"actor/entropy", "nan", *tensors, "content", "half"}
    data = path.read_bytes()
    assert_any_chunking(claimed(data, path.name), data)


def test_files_written_by_hand_are_read_by_the_released_reader(board: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(tfevents())
    accumulator = board["accumulator"].EventAccumulator(str(tmp_path))
    accumulator.Reload()
    theirs = [(each.step, each.value) for each in accumulator.Scalars("critic/score/mean")]
    assert theirs == list(REWARDS.items())


def cells(log: Any, key: str) -> list[tuple[int, float]]:
    column = log.columns[key]
    return list(zip(log.lines.step[column.rows].tolist(), column.values.tolist(), strict=True))
