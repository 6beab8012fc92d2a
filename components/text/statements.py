"""Generated statements: numbers, their uncertainty, and no more than they allow."""

TEXT = {
    "said.title": ("数据说明了什么", "What the numbers say"),
    "said.meta": ("自动生成；区间只含步间或题目抽样噪声", "generated; intervals cover step or item noise only"),
    "said.more": ("另有 {n} 条", "{n} more"),
    "said.more_of": ("{track}：另有 {n} 条", "{track}: {n} more"),
    "said.show": ("查看", "show"),
    "said.show.of": ("在图上查看：{text}", "show in the chart: {text}"),
    "said.order": ("{order}", "{order}"),
    "said.behind": ("{run}（{steps} 步）", "{run} (steps {steps})"),
    "said.bounds": ("{runs}（下界，不参与排序）", "{runs} (lower bound, not ranked)"),
    "said.and_bounds": ("；{runs}（下界，不参与排序）", "; {runs} (lower bound, not ranked)"),
    "said.ends": (
        "末 10 步（{steps}）通过率 %：{told}。“≈”表示逐步差的 95% 区间含 0。",
        "Pass rate of the last 10 steps ({steps}), %: {told}. ≈ joins runs whose difference has 0 in its 95 % CI.",
    ),
    "said.starts": (
        "前 5 步（{steps}）通过率 %：{order}{bounds}。单看第 {first} 步是 {run} 最高（{rate}%），但单步标准误就有 ±{error} 点，不能据此排序。",
        "Pass rate of the first steps ({steps}), %: {order}{bounds}. At step {first} alone {run} is highest ({rate} %), but one step "
        "has a standard error of ±{error}, which ranks nobody.",
    ),
    "said.crossings": (
        "5 步均值首次达到 {level}% 的步：{runs}（均值比原始值滞后约 2 步；≤ 表示通过率是下界，真实更早）。",
        "Step at which the 5-step mean first reaches {level} %: {runs} (it lags by about 2 steps; ≤ marks a lower bound, truly earlier).",
    ),
    "said.leads": (
        "{run} 的 5 步均值在第 {step} 步领先其余（不含下界）最多，为 {points} 点；5 步均值之差的标准误约 ±{error} 点，最大值是挑出来的。",
        "{run} leads the others (lower bounds aside) by at most {points} points, at step {step}, in 5-step means; such a difference has "
        "a standard error of about ±{error}, and a maximum is selected.",
    ),
    "said.swings": (
        "{run} 的 {n} 步通过率在 {low}–{high}% 之间，标准差 {measured} 点；同样大小的批次单凭抽样就有约 ±{error} 点，看不出趋势之外的东西。",
        "{run}: rates of {n} {n:step|steps} from {low} to {high} %, standard deviation {measured} points; batches of this size scatter by about "
        "±{error} from sampling alone.",
    ),
    "said.entropies": (
        "每词元熵（起 → 止，趋势变化及 95% 区间）：{runs}。",
        "Entropy per token (start → end, change of the trend, 95 % CI): {runs}.",
    ),
    "said.entropy.rising": (
        "{run} {start} → {end} 上升（{change}% [{low}, {high}]）",
        "{run} {start} → {end} rising ({change} % [{low}, {high}])",
    ),
    "said.entropy.falling": (
        "{run} {start} → {end} 下降（{change}% [{low}, {high}]）",
        "{run} {start} → {end} falling ({change} % [{low}, {high}])",
    ),
    "said.entropy.flat": (
        "{run} {start} → {end} 无明确趋势（{change}% [{low}, {high}]）",
        "{run} {start} → {end} no clear trend ({change} % [{low}, {high}])",
    ),
    "said.entropy_units": (
        "日志里 {run} 的熵从 {logged} 起步，像是最“紧”的，其实是按固定长度聚合造成的；换算成每词元为 {token}，与 {other} 的 {beside} 一致。",
        "As logged, the entropy of {run} starts at {logged} and looks tightest; that is its aggregation over a fixed length. Per token it "
        "starts at {token}, beside {beside} of {other}.",
    ),
    "said.lengths": (
        "响应长度（前 5 步 → 末 5 步，词元）：{runs}。超长回答按上限计，真实增长更大。",
        "Response length (first 5 → last 5 steps, tokens): {runs}. Lengths are cut at the cap, so true growth is larger.",
    ),
    "said.gradients": (
        "{run} 的梯度范数中位数 {mine}，是 {other}（{theirs}）的 {ratio} 倍；仅损失除以 {horizon} 这一项就会乘以 {scale}。水平低不等于更平稳。",
        "The gradient norm of {run} has a median of {mine}, {ratio} times that of {other} ({theirs}); dividing its loss by {horizon} alone "
        "multiplies it by {scale}. A low level is not calmness.",
    ),
    "said.episodes": (
        "{run} 在 {steps} 步：{moved}一起偏离基线，{end}。{length}",
        "{run} at steps {steps}: {moved} left their baselines together, {end}. {length}",
    ),
    "said.recovered": ("随后恢复", "then recovered"),
    "said.not_recovered": ("尚未恢复", "not recovered"),
    "said.length_beside": (
        "期间响应长度 {length}%，词元级熵最低 {entropy}%：熵的下跌不是长度换算造成的。",
        "Meanwhile length moved by {length} % and entropy per token by up to {entropy} %: the plunge is not a matter of length.",
    ),
    "said.spikes": (
        "{run} 的梯度范数：{told}；裁剪线 {clip}。",
        "Gradient norm of {run}: {told}; the clip is at {clip}.",
    ),
    "said.spike.clipped": (
        "第 {step} 步 {value}（基线的 {ratio} 倍，超过裁剪线，已被裁剪）",
        "{value} at step {step} ({ratio} times its baseline, above the clip and so scaled down)",
    ),
    "said.spike.below": (
        "第 {step} 步 {value}（基线的 {ratio} 倍，未到裁剪线）",
        "{value} at step {step} ({ratio} times its baseline, below the clip)",
    ),
    "said.hours": (
        "{steps} 步总用时，从短到长：{runs}。",
        "Time for {steps} {steps:step|steps}, shortest first: {runs}.",
    ),
    "said.references": (
        "参考模型前向：{runs}。它们都付了这笔时间，用它解释不了彼此的快慢。",
        "Forward passes of the reference model: {runs}. All of these runs pay for it, so it explains no difference between them.",
    ),
    "said.shared_kl": (
        "{runs} 的 KL 损失相同（{kind}，{coef}），因此 KL 解释不了它们之间的差别。",
        "{runs} have the same KL loss ({kind}, {coef}), so KL does not explain a difference between them.",
    ),
    "said.validation_open": (
        "{title} 第 {step} 步：{runs}。最多差 {most} 题，最大差异的 95% 区间 [{low}, {high}] 点含 0：{n} 题分不出高下。{least}",
        "{title} at step {step}: {runs}. At most {most} of {n} apart; the largest difference has a 95 % CI of [{low}, {high}] points, "
        "which includes 0: not distinguishable. {least}",
    ),
    "said.validation_apart": (
        "{title} 第 {step} 步：{runs}。最大差异的 95% 区间 [{low}, {high}] 点不含 0。{least}",
        "{title} at step {step}: {runs}. The largest difference has a 95 % CI of [{low}, {high}] points, which excludes 0. {least}",
    ),
    "said.least": ("要有八成把握分出，需相差约 {points} 点。", "It takes a gap of about {points} to tell two runs apart in four cases of five."),
    "said.least_none": (
        "在这样的正确率上，再高的分数也没有八成把握分出。",
        "At this accuracy not even a perfect score would be told apart in four cases of five.",
    ),
    "said.falls": (
        "最后两次验证之间下降的有 {n}/{of} 个：{runs} 题。其中 {run} 的 95% 区间 [{low}, {high}] 点，{verdict}。",
        "Between the last two validations {n} of {of} fell: {runs} (items). For {run} the 95 % CI is [{low}, {high}] points: {verdict}.",
    ),
    "said.open": ("含 0，属噪声之内", "0 is inside, so within noise"),
    "said.settled": ("不含 0", "0 is outside"),
    "said.selected": (
        "所有验证点中最大的是 {k}/{n}（{best}%，{where}），是从 {draws} 个点里挑出来的；真实正确率始终为 {rate}% 时，{draws} 个点的最大值平均也有 {expected}%。",
        "The largest of all validation points is {k}/{n} ({best} %, {where}), selected from {draws}; with a constant true rate of {rate} % "
        "the largest of {draws} averages {expected} %.",
    ),
    "said.bound": (
        "{run} 的通过率 {rate}% 是下界：奖励含最多 −{penalty} 的超长惩罚，平均 {cut}% 的回答被截断，仅此就压低 {points} 点；低于其他实验不说明它更差。",
        "The pass rate of {run}, {rate} %, is a lower bound: its reward holds an overlong penalty of up to −{penalty}, {cut} % of answers "
        "are cut, and that alone costs {points} points. Standing below others does not show that it is worse.",
    ),
    "said.sampling": (
        "{run} 配置了动态采样，但日志没有任何它运行过的记录（当前 verl 主训练器可能不读这个设置）。",
        "Dynamic sampling is configured for {run}, but no logged metric shows that it ran.",
    ),
    "said.sampling_over": (
        "{run} 配置了动态采样，但没有运行的迹象：日志无相应指标，且 {of} 步中有 {n} 步的通过率超过 {most}%（最高 {highest}%），"
        "而剔除全对组之后的批次达不到这个值。",
        "Dynamic sampling is configured for {run} but did not run: no metric of it is logged, and the pass rate exceeds {most} % "
        "at {n} of {of} steps (up to {highest} %), which a batch without all-right groups cannot.",
    ),
    "said.dual_clip": (
        "actor/pg_clipfrac_lower 是双重裁剪（优势为负且比率大于 {c}）的词元占比，不是下侧裁剪；最高 {share}%（{run}）。两侧裁剪都算在 pg_clipfrac 里。",
        "actor/pg_clipfrac_lower is the share of tokens under the dual clip (negative advantage, ratio above {c}), not the low side: at most "
        "{share} % ({run}). pg_clipfrac counts both sides.",
    ),
    "said.corrections": (
        "{run} 不除标准差只去掉难度偏差，固定除数只去掉长度偏差；{other} 按 {mode} 聚合，本来就没有长度偏差，差别只在难度偏差、尺度与 KL。",
        "In {run}, leaving out the deviation removes the difficulty bias alone, and the fixed divisor the length bias alone; {other} averages "
        "by {mode} and has no length bias to begin with.",
    ),
    "said.corrections_both": (
        "{run} 不除标准差只去掉难度偏差，固定除数只去掉长度偏差；{other} 按 {mode} 聚合，两种偏差都有。",
        "In {run}, leaving out the deviation removes the difficulty bias alone, and the fixed divisor the length bias alone; {other} averages "
        "by {mode} and has both.",
    ),
    "said.constants": (
        "{run} 的优势就是 {other} 的 {g}/{less} 倍：两者的差别来自{differ}，不是基线。",
        "The advantage of {run} is {g}/{less} times that of {other}: what differs is {differ}, not the baseline.",
    ),
    # Health rules
    "rules.title": ("健康规则", "Health rules"),
    "rules.none": ("可检验的 {n} 条规则都未触发", "none of {n} testable {n:rule|rules} fires"),
    "rules.count": ("{n} 条触发，共可检验 {of} 条", "{n} of {of} testable {of:rule|rules} {n:fires|fire}"),
    "rules.about": (
        "业内常用的经验规则，只作提示，不是结论；右侧注明出处与在真实日志上的误报。board.toml 的 rules_off 可关闭其中几条。",
        "Rules of thumb from the field: remarks, no verdicts. Each names its source and its false alarms on real logs. "
        "rules_off in board.toml switches rules off.",
    ),
    "rules.measured": (
        "真实日志：{healthy} 个正常训练中误报 {wrong} 个，{collapsed} 个崩溃训练中报出 {right} 个",
        "real logs: false alarm on {wrong} of {healthy} healthy, fired on {right} of {collapsed} collapsed",
    ),
    "rules.unmeasured": ("没有可测的真实日志", "not measured: no real log holds its metrics"),
    "rules.source": ("出处：{source}", "source: {source}"),
}
