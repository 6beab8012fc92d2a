"""How often each health rule fires on public logs of runs that went well, and on runs that collapsed.

`python -m tests.bench rules` needs a folder of real logs beside the checkout. What it prints is what
`derive.rules.MEASURED` states and the pages quote.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from data_loaders.board import BoardReader, Source
from data_loaders.derive.rules import RULES, Measured, tried

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
HEALTHY = (
    "agent_opd__20251129_191857-8g5bqf9b", "agent_opd__20251203_214315-cr3q4lay",
    "logic_rl__samples_between_steps", "verl_data__gemma2b_gsm8k_0.640", "verl_data__qwen05b_gsm8k_0.567",
)  # fmt: skip
"""Runs that were still learning, or had learnt, when their logs end."""
COLLAPSED = ("agent_opd__20251129_221801-i80f2v90", "cluster_verl__train")


def measured(corpus: Path, cache: Path) -> Mapping[str, Measured]:
    """Counts of every rule that at least one of the runs can be tested by."""
    runs = {run.id: run.view for run in BoardReader(Source((corpus,)), cache).read().runs}
    found = {name: list(tried(runs[name])) for name in (*HEALTHY, *COLLAPSED)}
    can = {name: {rule for rule, _ in each} for name, each in found.items()}
    did = {name: {rule for rule, one in each if one} for name, each in found.items()}

    def count(rule: str, names: tuple[str, ...]) -> tuple[int, int]:
        return sum(rule in did[name] for name in names), sum(rule in can[name] for name in names)

    return {
        rule.id: Measured(count(rule.id, HEALTHY), count(rule.id, COLLAPSED))
        for rule in RULES
        if any(rule.id in found for found in can.values())
    }


def main() -> None:
    """Print a line per rule."""
    if not CORPUS.is_dir():
        print("no folder of real logs beside the checkout")
        return
    with TemporaryDirectory() as cache:
        for rule, found in measured(CORPUS, Path(cache)).items():
            (wrong, healthy), (right, collapsed) = found
            print(
                f"{rule:>4}  false alarms {wrong} of {healthy} runs   fired {right} of {collapsed} collapsed"
            )


if __name__ == "__main__":
    main()
