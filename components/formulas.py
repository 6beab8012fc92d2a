"""Formulas of the algorithms in MathML, built from a few helpers. Every string here is a constant of ours."""

from __future__ import annotations

from collections.abc import Mapping


def _i(name: str) -> str:
    return f"<mi>{name}</mi>"


def _n(text: str) -> str:
    return f"<mn>{text}</mn>"


def _o(sign: str) -> str:
    return f"<mo>{sign}</mo>"


def _row(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


def _sub(base: str, below: str) -> str:
    return f"<msub>{base}{below}</msub>"


def _over(above: str, below: str) -> str:
    return f"<mfrac>{above}{below}</mfrac>"


def _sum(below: str) -> str:
    return f"<munder>{_o('∑')}{below}</munder>"


def _math(*parts: str) -> str:
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML" displaystyle="true">{"".join(parts)}</math>'


R_I = _sub(_i("R"), _i("i"))
A_I = _sub(_i("A"), _i("i"))
MEAN = f'<mover>{_i("R")}<mo stretchy="false">‾</mo></mover>'
CENTRED = _row(R_I, _o("−"), MEAN)
LENGTH = _row(_o("|"), _i("o"), _o("|"))
LOSS_IT = _sub(_i("ℓ"), _row(_i("i"), _i("t")))
ONE_BY_GROUP = _over(_n("1"), _row(_i("G"), _o("−"), _n("1")))

GROUP_NORMALISED = _math(
    A_I, _o("="),
    _over(
        CENTRED,
        _row(_i("σ"), _o("("), _i("R"), _o(")"), _o("+"), f"<msup>{_n('10')}{_row(_o('−'), _n('6'))}</msup>"),
    ),
)  # fmt: skip

FORMULAS: Mapping[str, tuple[str, ...]] = {
    "grpo": (GROUP_NORMALISED,),
    "dapo": (
        _math(
            _sub(_i("ε"), _i("l")), _o("="), _n("0.2"), _o(","), '<mspace width="0.5em"/>',
            _sub(_i("ε"), _i("h")), _o("="), _n("0.28"),
        ),
        _math(
            _i("R"), _o("+="), _i("min"), _o("("), _n("0"), _o(","), _o("−"),
            _over(_row(LENGTH, _o("−"), _o("("), _i("L"), _o("−"), _i("B"), _o(")")), _i("B")),
            _o(")"),
        ),
    ),
    "dr_grpo": (
        _math(A_I, _o("="), CENTRED),
        _math(
            _i("ℒ"), _o("="), _over(_n("1"), _row(_i("N"), _i("C"))),
            _sum(_row(_i("i"), _o(","), _i("t"))), LOSS_IT,
        ),
    ),
    "rloo": (
        _math(
            A_I, _o("="), R_I, _o("−"), ONE_BY_GROUP,
            _sum(_row(_i("j"), _o("≠"), _i("i"))), _sub(_i("R"), _i("j")),
        ),
    ),
    "reinforce_pp": (
        _math(
            _sub(_i("A"), _i("t")), _o("="),
            _over(
                _row(_sub(_i("G"), _i("t")), _o("−"), _sub(_i("μ"), _i("B"))),
                f"<msqrt><msubsup>{_i('σ')}{_i('B')}{_n('2')}</msubsup>{_o('+')}"
                f"<msup>{_n('10')}{_row(_o('−'), _n('8'))}</msup></msqrt>",
            ),
        ),
    ),
}  # fmt: skip
"""By algorithm: `i` counts the G answers of a group, `t` the tokens; B is the batch, in DAPO the buffer."""
