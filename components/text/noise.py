"""How far single numbers can be trusted."""

TEXT = {
    "noise.step": ("单步 ±{points}", "step ±{points}"),
    "noise.step.long": (
        "单步通过率的标准误（百分点），按同题答案相关 0.5 估计：",
        "Standard error of the pass rate of one step in points, answers to one prompt correlated by 0.5:",
    ),
    "noise.step.of": (
        "{run}：{answers} 条回答，通过率 {rate}% 时 ±{expected}；实测围绕缓变均值起伏 ±{measured}，相当于相关 {rho}",
        "{run}: ±{expected} for {answers} answers at {rate} %; measured ±{measured} about its slow mean, as with ρ {rho}",
    ),
    "noise.step.short": (
        "{run}：{answers} 条回答，通过率 {rate}% 时 ±{expected}；步数太少，无法实测",
        "{run}: ±{expected} for {answers} answers at {rate} %; too few steps to measure it",
    ),
    "noise.items": ("{n} 题：小于 {points} 点分不出", "{n} {n:item|items}: takes a gap of {points}"),
    "noise.items.long": (
        "{n} 题、正确率约 {rate}% 时，两个实验要相差 {points} 个百分点，才有八成机会看得出来（双侧 5%）",
        "With {n} {n:item|items} near {rate} %, a gap of {points} percentage points is told from none in four cases of "
        "five (two-sided 5 %)",
    ),
    "noise.items_none": ("{n} 题分不出", "{n} {n:item|items}: too few"),
    "noise.items_none.long": (
        "{n} 题、正确率约 {rate}% 时，再高的正确率也没有八成机会被看出差别（双侧 5%）",
        "With {n} {n:item|items} near {rate} %, not even a perfect score would be told apart in four cases of five "
        "(two-sided 5 %)",
    ),
    "noise.selected": (
        "最大值是挑出来的：真实正确率一直是 {rate}% 时，{draws} 次测量的最大值平均也有 {best}%",
        "A maximum is selected: with a constant true rate of {rate} %, the largest of {draws} measurements "
        "averages {best} %",
    ),
}
