"""Rules by which practitioners judge a run: named and sourced, one entry each, never a verdict.

`RULES` holds those of them that a console log can be tested by. Left out are statements without a threshold
(no warning before some NaN deaths, timing that follows length, directions that differ between recipes), gates
for smoke runs, and quantities that verl does not log. A rule that fires is a remark with its numbers: on runs
that went well several of them fire too, and `MEASURED` says how often.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from data_loaders.derive.canonical import curve
from data_loaders.derive.rule_tests import (
    Hit,
    Points,
    Test,
    above,
    all_zero,
    away_from_one,
    below,
    beyond,
    diverge,
    ends_below_best,
    falls_while_stalled,
    move_together,
    not_finite,
    of_mean_before,
    of_median_before,
    of_start,
    rises,
    share_above,
)
from data_loaders.derive.validation import main_validation, validations
from data_loaders.schema import Curve, RunData

VALIDATION, VALIDATIONS = "validation", "validations"
"""Names of no metric: the main validation, and every mean of one."""
JUDGED = ("acc", "reward")


class Rule(NamedTuple):
    """One rule. Message keys: `rule.<id>` with the fields of `Hit` and `{threshold}`."""

    id: str
    metrics: tuple[str, ...]
    """Canonical names or logged keys; a rule is not tested where one of them was not logged."""
    test: Test
    threshold: float
    source: str


class Fired(NamedTuple):
    rule: Rule
    hit: Hit


FAQ = "verl docs/faq/faq.rst"
CORRECTION = "verl docs/algo/rollout_corr.md"
FIVE = "a thread on 91 healthy and 5 collapsed steps"

RULES: tuple[Rule, ...] = (
    Rule("R1", ("grad_norm", "entropy", "loss", "ppo_kl"), not_finite, 0.0, "verl-project/verl#747, #2626"),
    Rule("R3", ("kl_loss",), above(), 5.0, "verl-project/verl#891"),
    Rule("R4", ("advantages_max", "advantages_min"), all_zero, 0.0, "verl-project/verl#5211"),
    Rule("R5", ("response_length",), below(2, of_start(2)), 0.50, FIVE),
    Rule("R6", ("response_length",), below(2, of_mean_before(5)), 0.55, FIVE),
    Rule("R7", ("training/reward",), below(2, of_start(2)), 0.40, FIVE),
    Rule("R8", ("n_groups_zero_adv", "n_groups_seen"), share_above(3), 0.60, FIVE),
    Rule("R9", ("grad_norm",), above(2, of_median_before(10, 5, 0.01)), 10.0, FIVE),
    Rule("R10", ("is_weight",), away_from_one(2), 0.15, FIVE),
    Rule("R12", ("probs_diff",), above(or_equal=True), 0.005, FAQ),
    Rule("R13", ("is_weight",), away_from_one(), 2.0, CORRECTION),
    Rule("R14", ("effective_samples",), below(), 0.3, CORRECTION),
    Rule("R15", ("is_weight_std",), above(), 1.0, CORRECTION),
    Rule("R16", ("rollout_kl",), beyond(), 0.1, CORRECTION),
    Rule("R17", ("chi2_token",), above(), 1.0, CORRECTION),
    Rule("R18", ("deviation",), above(), 0.005, "dongbo910220/verl-omni, verl-project/verl#6780"),
    Rule("R19", ("probs_diff",), rises, 1.0, "vllm-project/vime#64"),
    Rule("R24", ("entropy",), above(2), 1.0, "rllm-org/rllm#116"),
    Rule("R26", ("entropy", "score_mean"), falls_while_stalled, 0.25, "NovaSky-AI/SkyRL#2244"),
    Rule("R29", ("entropy", "response_length"), move_together("falling", "falling"), 0.10, "verl#2736"),
    Rule("R30", ("kl_loss", "score_mean"), move_together("rising", "falling"), 0.15, "skillspool.org"),
    Rule("R31", ("kl_loss",), above(2), 0.1, "a guide of one team"),
    Rule("R34", ("truncation",), above(2), 0.5, "Thinking-Space/Rethinking-OPD#7"),
    Rule("R35", ("aborted",), above(), 0.5, "a guide of one team"),
    Rule("R36", ("advantages_mean",), beyond(3), 0.5, "verl-project/verl#4747"),
    Rule("R37", (VALIDATION,), ends_below_best, 0.05, "verl-project/verl-ascend-recipe#21"),
    Rule("R38", (VALIDATIONS,), diverge, 0.15, "diqiuzhuanzhuan/verldata"),
    Rule("R39", ("gen_time", "step_time"), share_above(5), 0.6, "marin-community/marin#8653"),
    Rule("R40", ("perf/mfu/actor",), above(), 1.0, "verl-project/verl#1208"),
)
"""In the order in which they are told."""


def fired(data: RunData, off: Collection[str] = ()) -> Iterator[Fired]:
    """The rules that hold for a run, without those switched `off` by id."""
    return (one for rule, one in tried(data) if one is not None and rule not in off)


def tried(data: RunData) -> Iterator[tuple[str, Fired | None]]:
    """Ids of the rules whose metrics the run logged, each with what it found."""
    known: dict[str, list[Points]] = {}
    for rule in RULES:
        for name in rule.metrics:
            if name not in known:
                known[name] = _series(data, name)
        series = [known[name] for name in rule.metrics]
        points = [one for found in series for one in found]
        if points and (all(series) or rule.test is not_finite):  # which takes what there is
            hit = rule.test(points, rule.threshold)
            yield rule.id, Fired(rule, hit) if hit is not None else None


def _series(data: RunData, name: str) -> list[Points]:
    if name in (VALIDATION, VALIDATIONS):
        results = validations(data)
        main = main_validation(results)
        means = [one for one in results if one.statistic.startswith("mean@") and one.variable in JUDGED]
        chosen = means if name == VALIDATIONS else [main] if main else []
        return [Points(one.step, one.value) for one in chosen]
    found = curve(data, name)
    usable = isinstance(found, Curve) and found.step.size > 0
    return [Points(found.step, found.value)] if usable and isinstance(found, Curve) else []


class Measured(NamedTuple):
    """How often a rule fired on public logs whose end is known: (runs that fired, runs it could test)."""

    healthy: tuple[int, int]
    collapsed: tuple[int, int]


MEASURED: Mapping[str, Measured] = {
    "R1": Measured((0, 5), (0, 2)),
    "R3": Measured((0, 1), (0, 0)),
    "R4": Measured((0, 5), (0, 2)),
    "R5": Measured((0, 5), (2, 2)),
    "R6": Measured((0, 5), (2, 2)),
    "R9": Measured((0, 5), (0, 2)),
    "R24": Measured((0, 5), (0, 2)),
    "R26": Measured((1, 5), (1, 2)),
    "R29": Measured((0, 5), (1, 2)),
    "R30": Measured((0, 1), (0, 0)),
    "R31": Measured((0, 1), (0, 0)),
    "R34": Measured((0, 3), (0, 2)),
    "R35": Measured((0, 2), (0, 1)),
    "R36": Measured((1, 5), (2, 2)),
    "R37": Measured((1, 5), (1, 2)),
    "R38": Measured((0, 5), (0, 2)),
    "R39": Measured((1, 5), (1, 2)),
    "R40": Measured((0, 2), (0, 2)),
}
"""Five runs that went well and two that collapsed; `python -m tests.bench rules` measures it anew."""
