"""What each algorithm changes, what it costs, how it fails. Figures and claims follow the papers and verl's code.

`algorithm.<id>.<part>` for the parts `source`, `changes`, `cost`, `fails`, `watch`, and for the rows of the
comparison table what the method says by itself; a run's own configuration stands before it.
"""

TEXT = {
    "algorithms.title": ("算法介绍", "Algorithms"),
    "algorithms.meta": (
        "公式、差异与代价；配置一栏取自各实验的日志",
        "formulas, differences and cost; settings are those the runs logged",
    ),
    "algorithms.comparison": ("对照", "Side by side"),
    "algorithms.comparison.meta": (
        "加粗为与首列不同；任何两个实验都同时差着几项，差距不能归给其中一项",
        "bold differs from the first column; any two runs differ in several rows, so no gap belongs to one of them",
    ),
    "algorithms.changes": ("改变了什么", "What it changes"),
    "algorithms.fails": ("怎样失败", "How it fails"),
    "algorithms.cost": ("代价：{text}", "Cost: {text}"),
    "algorithms.watch": ("看图：{text}", "Charts to watch: {text}"),
    "algorithms.caution": ("{tracks}：{text}", "{tracks}: {text}"),
    "algorithms.only": ("只看 {run}：", "only {run}: "),
    "algorithms.others": ("verl 认识的其他估计器与损失", "Other estimators and losses that verl knows"),
    "algorithms.mini": ("通过率 %", "pass %"),
    "compared.baseline": ("基线", "Baseline"),
    "compared.std": ("标准差归一", "Division by std"),
    "compared.length": ("长度归一", "Length normalisation"),
    "compared.kl": ("KL", "KL"),
    "compared.clip": ("裁剪", "Clip"),
    "compared.sampling": ("动态采样", "Dynamic sampling"),
    "compared.reference": ("参考模型前向", "Reference forward"),
    "compared.unbiased": ("优势无偏", "Unbiased advantage"),
    # GRPO
    "algorithm.grpo.source": ("DeepSeekMath · arXiv 2402.03300", "DeepSeekMath · arXiv 2402.03300"),
    "algorithm.grpo.changes": (
        "同题的一组回答互为参照：减去组均值、除以组标准差，不再需要价值网络。"
        "论文按回答平均损失，verl 默认按词元平均，因此这里没有论文版的长度偏差。",
        "Answers to one prompt judge each other: minus the group mean, divided by the group deviation, and no "
        "critic. The paper averages the loss per answer, verl by default per token, so the length bias of the "
        "paper's form is absent here.",
    ),
    "algorithm.grpo.cost": (
        "旧策略前向 1 次，开 KL 时参考模型再 1 次；更新约合 3 次前向",
        "one forward pass of the old policy, with KL one more of the reference; the update costs about three",
    ),
    "algorithm.grpo.fails": (
        "除以标准差会放大几乎全对或几乎全错的题；整组同分时没有梯度，正确率越高这样的组越多。",
        "Dividing by the deviation inflates prompts that are almost solved or almost never solved; a group of "
        "equal rewards gives no gradient, and such groups grow with accuracy.",
    ),
    "algorithm.grpo.watch": ("梯度范数、策略熵、KL 损失", "gradient norm, entropy, KL loss"),
    "algorithm.grpo.baseline": ("组均值", "group mean"),
    "algorithm.grpo.std": ("组内", "group"),
    "algorithm.grpo.length": ("按配置", "as configured"),
    "algorithm.grpo.kl": ("损失侧 k3", "loss side, k3"),
    "algorithm.grpo.clip": ("对称", "symmetric"),
    "algorithm.grpo.sampling": ("否", "no"),
    "algorithm.grpo.reference": ("有 KL 时", "with KL"),
    "algorithm.grpo.unbiased": ("否，除以标准差", "no, divides by std"),
    # DAPO
    "algorithm.dapo.source": ("arXiv 2503.14476", "arXiv 2503.14476"),
    "algorithm.dapo.changes": (
        "优势与 GRPO 相同，另加四件：上侧裁剪放宽、动态采样、按词元平均、对超长回答的软惩罚；不用 KL。",
        "Advantage as in GRPO, and four parts more: a wider upper clip, dynamic sampling, token-mean loss, a "
        "soft penalty on long answers; no KL.",
    ),
    "algorithm.dapo.cost": (
        "旧策略前向 1 次；更新约合 3 次前向。动态采样若真的执行，生成量要除以有分歧的组所占比例",
        "one forward pass of the old policy; the update costs about three. Where dynamic sampling runs, the "
        "amount to generate is divided by the share of mixed groups",
    ),
    "algorithm.dapo.fails": (
        "没有 KL、上侧又宽时熵可能一路上升；惩罚从上限前一段开始，缓冲过大会把回答压短。",
        "Without KL and with a wide upper clip entropy may keep rising; the penalty starts before the cap, and "
        "a large buffer presses answers short.",
    ),
    "algorithm.dapo.watch": ("策略熵、响应长度、裁剪比例", "entropy, response length, clip fraction"),
    "algorithm.dapo.baseline": ("组均值", "group mean"),
    "algorithm.dapo.std": ("组内", "group"),
    "algorithm.dapo.length": ("词元平均", "token mean"),
    "algorithm.dapo.kl": ("无", "none"),
    "algorithm.dapo.clip": ("0.2 / 0.28", "0.2 / 0.28"),
    "algorithm.dapo.sampling": ("是", "yes"),
    "algorithm.dapo.reference": ("无", "none"),
    "algorithm.dapo.unbiased": ("否，除以标准差", "no, divides by std"),
    # Dr.GRPO
    "algorithm.dr_grpo.source": ("arXiv 2503.20783", "arXiv 2503.20783"),
    "algorithm.dr_grpo.changes": (
        "两处独立的修正：不除以标准差，去掉难度偏差；损失除以固定常数 C 而不是回答长度，去掉长度偏差。",
        "Two separate corrections: no division by the deviation removes the difficulty bias; a fixed divisor C "
        "instead of the answer's length removes the length bias.",
    ),
    "algorithm.dr_grpo.cost": (
        "旧策略前向 1 次；更新约合 3 次前向；没有参考模型",
        "one forward pass of the old policy; the update costs about three; no reference model",
    ),
    "algorithm.dr_grpo.fails": (
        "损失和一同聚合的指标都按 长度 / C 缩放，日志里的熵、梯度不能直接与别的实验比；"
        "没有设定 loss_scale_factor 时，步长还与填充宽度有关。",
        "The loss and every metric aggregated with it scale with length / C, so logged entropy and gradient "
        "cannot be put beside other runs; without loss_scale_factor the step also depends on the padded width.",
    ),
    "algorithm.dr_grpo.watch": (
        "词元级的策略熵、响应长度、PPO KL",
        "entropy per token, response length, PPO KL",
    ),
    "algorithm.dr_grpo.baseline": ("组均值", "group mean"),
    "algorithm.dr_grpo.std": ("无", "none"),
    "algorithm.dr_grpo.length": ("固定 C", "fixed C"),
    "algorithm.dr_grpo.kl": ("无", "none"),
    "algorithm.dr_grpo.clip": ("对称", "symmetric"),
    "algorithm.dr_grpo.sampling": ("否", "no"),
    "algorithm.dr_grpo.reference": ("无", "none"),
    "algorithm.dr_grpo.unbiased": ("是，差常数倍", "yes, up to a constant"),
    # RLOO
    "algorithm.rloo.source": ("Back to Basics · arXiv 2402.14740", "Back to Basics · arXiv 2402.14740"),
    "algorithm.rloo.changes": (
        "基线取同组其余 G−1 个回答的均值，与被评的回答无关，所以无偏；与 Dr.GRPO 的优势只差常数 G/(G−1)。",
        "The baseline is the mean of the other G−1 answers, independent of the one it judges, hence unbiased; "
        "the advantage is Dr.GRPO's times the constant G/(G−1).",
    ),
    "algorithm.rloo.cost": (
        "旧策略前向 1 次，开 KL 时参考模型再 1 次；更新约合 3 次前向",
        "one forward pass of the old policy, with KL one more of the reference; the update costs about three",
    ),
    "algorithm.rloo.fails": (
        "不做尺度归一，步长随奖励的尺度变化；每题只有一个回答时没有基线可用。",
        "Nothing normalises the scale, so the step follows that of the reward; with one answer per prompt there "
        "is no baseline.",
    ),
    "algorithm.rloo.watch": ("梯度范数、KL 损失", "gradient norm, KL loss"),
    "algorithm.rloo.baseline": ("其余 G−1 个均值", "mean of the other G−1"),
    "algorithm.rloo.std": ("无", "none"),
    "algorithm.rloo.length": ("按配置", "as configured"),
    "algorithm.rloo.kl": ("奖励侧 k1", "reward side, k1"),
    "algorithm.rloo.clip": ("对称", "symmetric"),
    "algorithm.rloo.sampling": ("否", "no"),
    "algorithm.rloo.reference": ("有 KL 时", "with KL"),
    "algorithm.rloo.unbiased": ("是", "yes"),
    # REINFORCE++
    "algorithm.reinforce_pp.source": ("arXiv 2501.03262", "arXiv 2501.03262"),
    "algorithm.reinforce_pp.changes": (
        "不设组基线：折扣回报在整批有效词元上减均值、除以标准差。γ=1 且奖励只在末尾时，回报就是奖励本身。",
        "No group baseline: the discounted return is whitened over all valid tokens of the batch. With γ=1 and "
        "a reward at the end only, the return is that reward.",
    ),
    "algorithm.reinforce_pp.cost": (
        "旧策略前向 1 次，开 KL 时参考模型再 1 次；更新约合 3 次前向",
        "one forward pass of the old policy, with KL one more of the reference; the update costs about three",
    ),
    "algorithm.reinforce_pp.fails": (
        "没有逐题基线，容易的题总被推高、难的题总被压低；正确率 90% 时答对约 +0.33、答错约 −3.0，"
        "长回答因词元多而权重更大。",
        "Without a baseline per prompt easy prompts are always pushed up and hard ones down; at 90 % accuracy a "
        "right answer gets about +0.33, a wrong one −3.0, and long answers weigh more by their tokens.",
    ),
    "algorithm.reinforce_pp.watch": ("梯度范数、响应长度、策略熵", "gradient norm, response length, entropy"),
    "algorithm.reinforce_pp.baseline": ("无，整批均值", "none, batch mean"),
    "algorithm.reinforce_pp.std": ("整批，按词元", "batch, by token"),
    "algorithm.reinforce_pp.length": ("按配置", "as configured"),
    "algorithm.reinforce_pp.kl": ("奖励侧 k1", "reward side, k1"),
    "algorithm.reinforce_pp.clip": ("对称", "symmetric"),
    "algorithm.reinforce_pp.sampling": ("否", "no"),
    "algorithm.reinforce_pp.reference": ("有 KL 时", "with KL"),
    "algorithm.reinforce_pp.unbiased": ("渐近", "asymptotically"),
    # The others, in one sentence each
    "algorithm.optimal_token_baseline.name": (
        "最优词元基线（Optimal token baseline）",
        "Optimal token baseline",
    ),
    "algorithm.tir_optimal_token_baseline.name": (
        "最优词元基线，用于工具调用（Optimal token baseline (tool use)）",
        "Optimal token baseline (tool use)",
    ),
    "algorithm.bypass_mode.name": (
        "以推理端策略为旧策略（Rollout policy as old policy）",
        "Rollout policy as old policy",
    ),
    "algorithms.others.none": ("见 verl 文档。", "See verl's documentation."),
    "algorithms.others.meta": ("用到其中一种的实验标上它的名称", "a run that uses one is labelled with its name"),
    "algorithm.ppo.short": (
        "价值网络与 GAE 给出逐词元的优势，整批白化；要多训练一个模型。",
        "A critic and GAE give an advantage per token, whitened over the batch; one more model to train.",
    ),
    "algorithm.reinforce_pp_baseline.short": (
        "先减组均值再在整批词元上白化；有基线，尺度不随题变。",
        "Group mean first, then whitened over the batch: a baseline, and no scale per prompt.",
    ),
    "algorithm.remax.short": (
        "基线是同题贪心解码那一条的奖励，每题多生成一条。",
        "The baseline is the reward of the greedy answer to the prompt: one more response each.",
    ),
    "algorithm.grpo_passk.short": (
        "只有组内最高的回答得到优势：最高减次高，鼓励 pass@k。",
        "Only the best answer of a group gets an advantage, best minus second best, for pass@k.",
    ),
    "algorithm.opo.short": (
        "基线按回答长度加权，方差最小，不除以标准差。",
        "A baseline weighted by answer length for least variance, no division by the deviation.",
    ),
    "algorithm.gpg.short": (
        "直接用 −A·logπ，不用比率也不裁剪，所以没有裁剪类指标。",
        "Plain −A·logπ without ratio or clip, hence no clip metrics in the log.",
    ),
    "algorithm.gdpo.short": (
        "多个奖励各自在组内归一后再相加，避免大尺度的奖励盖住其余。",
        "Several rewards are normalised in the group one by one and then summed, so none drowns the others.",
    ),
    "algorithm.optimal_token_baseline.short": (
        "逐词元的最小方差基线，由梯度能量加权。",
        "A least-variance baseline per token, weighted by gradient energy.",
    ),
    "algorithm.tir_optimal_token_baseline.short": (
        "同上，用于调用工具的多轮回答。",
        "The same for multi-turn answers with tool calls.",
    ),
    "algorithm.gspo.short": (
        "整条回答一个比率，在序列层面裁剪；裁剪比例比 GRPO 高两个数量级属正常。",
        "One ratio per answer, clipped per sequence; a clip fraction a hundred times GRPO's is normal.",
    ),
    "algorithm.cispo.short": (
        "裁剪的是不回传梯度的权重，没有词元失去梯度；下侧裁剪比例恒为 0。",
        "It clips a weight that carries no gradient, so no token loses its own; the lower clip fraction is always 0.",
    ),
    "algorithm.sapo.short": (
        "用 sigmoid 软门代替裁剪；裁剪比例恒为 0。",
        "A sigmoid gate in place of the clip; the clip fraction is always 0.",
    ),
    "algorithm.clip_cov.short": (
        "只对协方差最高的少数词元断开梯度，防止熵塌缩。",
        "Cuts the gradient of the few tokens with the highest covariance, against entropy collapse.",
    ),
    "algorithm.kl_cov.short": (
        "只对协方差最高的少数词元加 KL；其 ppo_kl 记的是绝对值。",
        "Adds a KL to those few tokens alone; its ppo_kl is the absolute KL.",
    ),
    "algorithm.geo_mean.short": (
        "取各词元比率的几何平均；两个裁剪指标分别是优势为正与为负的一侧。",
        "Geometric mean of the token ratios; its two clip metrics are the sides of positive and negative advantage.",
    ),
    "algorithm.dppo_tv.short": (
        "按概率的总变差屏蔽词元；裁剪比例是被屏蔽的占比。",
        "Masks tokens by total variation of their probabilities; the clip fraction is the masked share.",
    ),
    "algorithm.dppo_kl.short": (
        "按 KL 屏蔽词元，其余同上。",
        "Masks tokens by their KL, otherwise the same.",
    ),
    "algorithm.dro.short": (
        "对数比率的二次惩罚代替裁剪。",
        "A quadratic penalty on the log-ratio in place of the clip.",
    ),
    "algorithm.bypass_mode.short": (
        "直接把推理端的概率当作旧策略，省去一次前向；日志没有熵。",
        "Takes the rollout's probabilities for the old policy and saves a forward pass; logs no entropy.",
    ),
}
