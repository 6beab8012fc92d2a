"""What the demo's runs are: when they ran, and the points their curves pass through.

The 2B and 4B anchors are calibrated to the published figures in `tests/data/published_facts.csv`; the
multimodal runs are invented. Anchors are (step, value) pairs: pass rate in percent as a page shows it,
length in tokens, entropy in nats per token, clip share in percent, `kl_loss` in nats, hours in seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

Anchors = tuple[tuple[int, float], ...]


class Log(NamedTuple):
    """One log file: `last` 0 means that it holds start-up lines only."""

    stamp: str
    """UTC start time in the file name, `YYYYmmdd_HHMMSS`."""
    first: int = 1
    last: int = 0
    running: bool = False
    resumed_from: int | None = None


@dataclass(frozen=True, slots=True)
class Scale:
    """What all runs of one track share."""

    model: str
    parameters: float
    gpus: int
    tensor_parallel: int
    offload: bool
    response_cap: int
    data_source: str
    validation_source: str
    prompts: int
    """In the training set."""
    format_share: float | None
    """Part of a 0/1 reward that is given for the format; None: right 1, wrong −1."""
    validation_items: int
    test_every: int
    prompt_tokens: tuple[int, int, int]
    """Mean, smallest and largest prompt of a usual batch."""
    numpy_two: bool
    """Numbers that went through numpy are printed as `np.float64(…)`."""
    shared_noise: float
    """Points of pass-rate noise that all runs of a step have in common: they see the same prompts."""
    private_noise: float


_MATH = Scale(
    model="Qwen3.5-2B", parameters=2.0e9, gpus=2, tensor_parallel=1, offload=True, response_cap=16384,
    data_source="math", prompts=17_408, format_share=None, prompt_tokens=(148, 41, 610),
    validation_source="aime24", validation_items=30, test_every=25,
    numpy_two=True, shared_noise=2.5, private_noise=1.5,
)  # fmt: skip
SCALES: Mapping[str, Scale] = {
    "2b": _MATH,
    "4b": replace(
        _MATH, model="Qwen3.5-4B", parameters=4.0e9, gpus=4, tensor_parallel=4, offload=False,
        shared_noise=2.6, private_noise=2.0,
    ),
    "vl": Scale(
        model="Qwen2.5-VL-3B", parameters=3.7e9, gpus=4, tensor_parallel=1, offload=False, response_cap=2048,
        data_source="hiyouga/geometry3k", prompts=3_200, format_share=0.1, prompt_tokens=(702, 168, 1420),
        validation_source="hiyouga/geometry3k", validation_items=601, test_every=25,
        numpy_two=False, shared_noise=2.2, private_noise=1.6,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DemoRun:
    """One run of the demo. `means` fixes window means exactly: curve -> ((first, last, mean), …)."""

    id: str
    scale: str
    algorithm: str
    logs: tuple[Log, ...]
    steps: int = 150
    seconds: float = 0.0
    """Sum of `timing_s/step` and `timing_s/testing` over every logged step line."""
    timed: int = 150
    """Number of steps over which `seconds` is spent."""
    pass_rate: Anchors = ()
    length: Anchors = ()
    entropy: Anchors = ()
    grad_norm: Anchors = ()
    clip_share: Anchors = ()
    kl_loss: Anchors = ()
    validation: tuple[int, ...] = ()
    """Right answers at each validation."""
    spread: Mapping[str, float] = field(default_factory=dict)
    """Relative noise of a curve where it differs from `demo_curves.SPREAD`."""
    means: Mapping[str, tuple[tuple[int, int, float], ...]] = field(default_factory=dict)
    fixed: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    """Values that hold exactly at a step, episodes among them."""
    mfu: bool = False
    """False: this verl version has no flops estimate for the model and prints 0."""
    resamples: bool = False
    """Whether configured dynamic sampling is carried out."""
    missing_step: int | None = None
    nan: tuple[str, int] | None = None


def _from(first: int, values: tuple[float, ...]) -> dict[int, float]:
    return dict(enumerate(values, first))


RUNS: tuple[DemoRun, ...] = (
    DemoRun(
        "e1_grpo_2b", "2b", "grpo",
        (Log("20260712_185929", 1, 129), Log("20260713_173146", 129, 150, resumed_from=128)),
        seconds=93_240.0,
        pass_rate=((1, 43), (2, 40), (12, 38), (25, 45), (40, 53.5), (47, 57.5), (60, 59.5), (110, 62.2),
                   (129, 62.8), (150, 63.4)),
        length=((1, 10_350), (20, 10_300), (45, 10_550), (75, 10_350), (105, 10_600), (150, 10_750)),
        entropy=((1, 0.448), (12, 0.420), (25, 0.372), (45, 0.315), (65, 0.276), (90, 0.246), (112, 0.227),
                 (129, 0.219), (150, 0.221)),
        grad_norm=((1, 0.33), (40, 0.315), (90, 0.31), (150, 0.305)),
        clip_share=((1, 0.14), (50, 0.11), (150, 0.09)),
        kl_loss=((1, 0.0004), (30, 0.0034), (80, 0.0105), (150, 0.0205)),
        validation=(6, 8, 9, 10, 11, 10),
        spread={"length": 0.022},
        means={"pass_rate": ((1, 1, 42.97), (120, 129, 62.8)), "entropy": ((1, 1, 0.449), (125, 129, 0.221))},
    ),
    DemoRun(
        "e2_dapo_2b", "2b", "dapo", (Log("20260714_110612", 1, 150),),
        seconds=76_320.0,
        pass_rate=((1, 35.2), (8, 35), (25, 43), (54, 54.2), (58, 55.8), (62, 56.5), (105, 58.2), (118, 58.3),
                   (129, 59.3), (150, 59.6)),
        length=((1, 10_300), (12, 10_000), (30, 8_900), (55, 7_900), (80, 7_350), (110, 7_050), (150, 6_900)),
        entropy=((1, 0.472), (20, 0.462), (45, 0.432), (75, 0.405), (110, 0.385), (150, 0.362)),
        grad_norm=((1, 0.36), (50, 0.345), (100, 0.33), (150, 0.32)),
        clip_share=((1, 0.25), (50, 0.22), (150, 0.185)),
        validation=(5, 7, 8, 8, 9, 9),
        means={"pass_rate": ((120, 129, 58.8),)},
        fixed={"entropy": {1: 0.458}},
    ),
    DemoRun(
        "e3_drgrpo_2b", "2b", "drgrpo", (Log("20260715_114131", 1, 150),),
        seconds=95_040.0,
        pass_rate=((1, 36.5), (25, 39), (36, 49), (47, 59), (98, 66), (108, 70.5), (118, 68.5), (129, 67.9),
                   (150, 68.2)),
        length=((1, 10_300), (20, 10_400), (45, 10_900), (70, 11_700), (95, 12_200), (115, 12_500),
                (131, 12_560), (136, 12_020), (141, 12_560), (150, 12_620)),
        entropy=((1, 0.438), (12, 0.395), (30, 0.320), (50, 0.258), (75, 0.203), (100, 0.163), (118, 0.139),
                 (129, 0.130), (150, 0.129)),
        grad_norm=((1, 0.172), (50, 0.165), (100, 0.160), (150, 0.156)),
        clip_share=((1, 0.12), (50, 0.115), (150, 0.105)),
        validation=(6, 7, 9, 11, 11, 12),
        spread={"grad_norm": 0.055},
        means={"pass_rate": ((120, 129, 67.9),),
               "length": ((1, 5, 10_300), (1, 1, 10_300), (125, 129, 12_600)),
               "entropy": ((1, 1, 0.4374), (125, 129, 0.1303))},
        fixed={
            "grad_norm": _from(133, (0.37, 0.58, 0.83, 0.91, 0.74, 0.55, 0.42, 0.36)),
            "ppo_kl": _from(133, (17e-5, 31e-5, 48e-5, 56e-5, 44e-5, 33e-5, 24e-5, 15e-5)),
            "clip_share": _from(133, (0.29, 0.47, 0.71, 0.82, 0.66, 0.49, 0.36, 0.28)),
            "entropy": _from(133, (0.106, 0.089, 0.073, 0.067, 0.076, 0.087, 0.096, 0.109)),
            "deviation": _from(134, (2.6e-4, 4.4e-4, 4.0e-4, 2.9e-4)),
            "pg_loss": _from(134, (0.0071, 0.0122, 0.0109, 0.0138, 0.0092, 0.0064)),
        },
    ),
    DemoRun(
        "e4_rloo_2b", "2b", "rloo", (Log("20260717_180634", 1, 150),),
        seconds=96_480.0,
        pass_rate=((1, 40.5), (5, 42.3), (12, 43.5), (38, 54), (45, 59), (98, 62.7), (112, 65.6),
                   (121, 65.4), (129, 63.6), (150, 65.1)),
        length=((1, 10_250), (30, 10_180), (80, 10_120), (150, 10_060)),
        entropy=((1, 0.445), (12, 0.416), (25, 0.373), (45, 0.319), (65, 0.281), (90, 0.250), (112, 0.231),
                 (129, 0.223), (150, 0.223)),
        grad_norm=((1, 0.31), (50, 0.29), (150, 0.275)),
        clip_share=((1, 0.115), (50, 0.09), (150, 0.078)),
        kl_loss=((1, 0.0004), (30, 0.0031), (80, 0.0091), (150, 0.0172)),
        validation=(7, 9, 10, 11, 11, 12),
        spread={"length": 0.009},
        means={"pass_rate": ((120, 129, 64.4),)},
    ),
    DemoRun("e5_reinforcepp_2b", "2b", "reinforcepp", (Log("20260720_105801", running=True),)),
    DemoRun(
        "e1_grpo_4b", "4b", "grpo", (Log("20260714_125151", 1, 150),),
        seconds=133_920.0,
        pass_rate=((1, 80), (10, 80.6), (40, 85), (80, 88), (120, 89.6), (150, 90)),
        length=((1, 5_080), (5, 5_130), (30, 5_900), (60, 7_000), (90, 8_150), (120, 9_150), (150, 9_750)),
        entropy=((1, 0.251), (30, 0.245), (70, 0.236), (110, 0.228), (150, 0.219)),
        grad_norm=((1, 0.21), (60, 0.195), (150, 0.185)),
        clip_share=((1, 0.09), (150, 0.07)),
        kl_loss=((1, 0.0003), (40, 0.0022), (90, 0.0064), (150, 0.0121)),
        validation=(20, 21, 22, 21, 22, 19),
        means={"pass_rate": ((1, 5, 79.9), (1, 1, 80.08), (141, 150, 89.9)),
               "length": ((1, 5, 5_100), (146, 150, 9_700)), "entropy": ((1, 1, 0.251), (146, 150, 0.220))},
    ),
    DemoRun(
        "e2_dapo_4b", "4b", "dapo",
        (Log("20260716_020902"), Log("20260716_021403", 1, 150)),
        seconds=117_180.0,
        pass_rate=((1, 79.5), (10, 80), (40, 83.8), (80, 86.7), (120, 88.2), (150, 88.9)),
        length=((1, 5_200), (30, 5_700), (60, 6_500), (90, 7_300), (120, 7_950), (150, 8_350)),
        entropy=((1, 0.256), (25, 0.270), (50, 0.293), (75, 0.318), (100, 0.348), (125, 0.383), (150, 0.419)),
        grad_norm=((1, 0.205), (60, 0.195), (150, 0.20)),
        clip_share=((1, 0.20), (150, 0.17)),
        validation=(18, 20, 21, 22, 21, 23),
        means={"pass_rate": ((1, 5, 79.6), (141, 150, 88.8)), "length": ((1, 5, 5_200), (146, 150, 8_350)),
               "entropy": ((1, 1, 0.256), (146, 150, 0.417))},
        fixed={"grad_norm": {43: 0.96, 59: 1.13}},
    ),
    DemoRun(
        "e3_drgrpo_4b", "4b", "drgrpo", (Log("20260717_105706", 1, 150),),
        seconds=113_976.0,
        pass_rate=((1, 79.8), (10, 80.4), (40, 86), (80, 89), (120, 90.6), (150, 91.1)),
        length=((1, 5_300), (30, 5_550), (60, 6_000), (90, 6_550), (120, 7_000), (150, 7_320)),
        entropy=((1, 0.250), (25, 0.221), (50, 0.190), (80, 0.158), (110, 0.131), (135, 0.115), (150, 0.107)),
        grad_norm=((1, 0.165), (20, 0.135), (60, 0.105), (110, 0.082), (150, 0.066)),
        clip_share=((1, 0.085), (150, 0.065)),
        validation=(17, 20, 21, 22, 24, 23),
        spread={"grad_norm": 0.12},
        means={"pass_rate": ((1, 5, 79.7), (141, 150, 91.1)),
               "length": ((1, 5, 5_300), (1, 1, 5_300), (146, 150, 7_300)),
               "entropy": ((1, 1, 0.250), (146, 150, 0.1079))},
    ),
    DemoRun(
        "e4_rloo_4b", "4b", "rloo", (Log("20260718_184125", 1, 150),),
        seconds=128_820.0,
        pass_rate=((1, 80.4), (10, 81), (40, 85.4), (80, 88.4), (120, 89.9), (150, 90.5)),
        length=((1, 5_000), (30, 5_500), (60, 6_250), (90, 7_050), (120, 7_700), (150, 8_150)),
        entropy=((1, 0.253), (30, 0.246), (70, 0.234), (110, 0.222), (150, 0.211)),
        grad_norm=((1, 0.20), (60, 0.182), (150, 0.175)),
        clip_share=((1, 0.085), (150, 0.065)),
        kl_loss=((1, 0.0003), (40, 0.0019), (90, 0.0055), (150, 0.0103)),
        validation=(19, 21, 20, 22, 25, 23),
        means={"pass_rate": ((1, 5, 80.4), (141, 150, 90.4)), "length": ((1, 5, 5_000), (146, 150, 8_100))},
    ),
    DemoRun(
        "e5_reinforcepp_4b", "4b", "reinforcepp", (Log("20260720_063429", 1, 21, running=True),),
        seconds=15_780.0, timed=21,
        pass_rate=((1, 80), (12, 83), (21, 84.5), (60, 87), (150, 90)),
        length=((1, 5_150), (21, 5_450), (60, 6_400), (150, 8_600)),
        entropy=((1, 0.248), (21, 0.252), (60, 0.245), (150, 0.231)),
        grad_norm=((1, 0.21), (150, 0.20)),
        clip_share=((1, 0.095), (150, 0.08)),
        kl_loss=((1, 0.0002), (21, 0.0009), (150, 0.009)),
        validation=(20, 21, 21, 22, 23, 22),
        spread={"private": 3.4},
        fixed={"pass_rate": {4: 73.046875, 17: 93.75}},
        mfu=True,
    ),
    DemoRun(
        "vl_e1_grpo", "vl", "grpo", (Log("20260708_083015", 1, 100),),
        steps=100, seconds=32_760.0, timed=100,
        pass_rate=((1, 42), (10, 43.5), (40, 50), (70, 54), (100, 56.2)),
        length=((1, 905), (40, 980), (100, 1_110)),
        entropy=((1, 0.60), (30, 0.50), (60, 0.42), (100, 0.37)),
        grad_norm=((1, 0.44), (100, 0.40)),
        clip_share=((1, 0.16), (100, 0.11)),
        kl_loss=((1, 0.0006), (50, 0.0061), (100, 0.0125)),
        validation=(247, 262, 271, 268),
        mfu=True,
    ),
    DemoRun(
        "vl_e2_dapo", "vl", "dapo", (Log("20260708_190544", 1, 100),),
        steps=100, seconds=28_080.0, timed=100,
        pass_rate=((1, 39), (10, 40), (40, 48), (70, 53.5), (100, 56.6)),
        length=((1, 900), (40, 850), (100, 805)),
        entropy=((1, 0.62), (30, 0.58), (60, 0.54), (100, 0.51)),
        grad_norm=((1, 0.43), (100, 0.41)),
        clip_share=((1, 0.27), (100, 0.21)),
        validation=(244, 258, 270, 273),
        mfu=True, resamples=True, missing_step=58,
    ),
    DemoRun(
        "vl_e4_rloo", "vl", "rloo", (Log("20260709_091237", 1, 100),),
        steps=100, seconds=33_840.0, timed=100,
        pass_rate=((1, 44), (10, 45.5), (40, 51), (70, 54.5), (100, 56)),
        length=((1, 910), (40, 990), (100, 1_090)),
        entropy=((1, 0.61), (30, 0.51), (60, 0.45), (100, 0.41)),
        grad_norm=((1, 0.42), (100, 0.395)),
        clip_share=((1, 0.13), (100, 0.10)),
        kl_loss=((1, 0.0006), (50, 0.0054), (100, 0.0108)),
        validation=(246, 259, 266, 264),
        mfu=True, nan=("actor/grad_norm", 73),
    ),
)  # fmt: skip
