"""Sentences generated from numbers."""

TEXT = {
    "finding.unranked": (
        "{runs} 个实验，其中 {with_steps} 个有训练步；",
        "{runs} {runs:run|runs}, {with_steps} with training steps;",
    ),
    "finding.unranked_why": (
        "模型与数据可能不同，不作排名",
        "models and data may differ, so they are not ranked",
    ),
    "finding.no_pass_rate": ("本页日志还没有可用的通过率", "No pass rate can be read from these logs yet"),
    "finding.highest_alone": ("{run} 末 10 步通过率 {rate}%", "{run}: {rate} % over its last 10 steps"),
    "finding.highest": (
        "{run} 末 10 步通过率最高，{rate}%；",
        "{run} ends highest: {rate} % over its last 10 steps;",
    ),
    "finding.ahead": ("领先 {run} {points} 个百分点", "{points} points above {run}"),
    "finding.settled": ("（95% 区间不含 0）", "(95 % CI excludes 0)"),
    "finding.tied": (
        "{runs} 末 10 步通过率 {rates}%，",
        "{runs} cannot be told apart: {rates} %",
    ),
    "finding.open": (
        "相差的 95% 区间含 0，不分高下",
        "over the last 10 steps (95 % CI of the difference includes 0)",
    ),
    "finding.all_open": (
        "与 {run} 相差的 95% 区间都含 0，不分高下",
        "over the last 10 steps (each 95 % CI of the difference from {run} includes 0)",
    ),
    "finding.interval": (
        "{first}–{last} 步逐步配对的 95% 区间（点）：{gaps}；小于 {least} 的差异多半分不出。",
        "95 % CI in points, paired by step, {first}–{last}: {gaps}; gaps below {least} would mostly go unseen.",
    ),
    "finding.interval_unpaired": (
        "{first}–{last} 步按独立实验计算（题目不同，不能配对）的 95% 区间（点）：{gaps}；小于 {least} 的差异多半分不出。",
        "95 % CI in points of independent runs (other prompts, not paired), {first}–{last}: {gaps}; gaps below {least} would mostly "
        "go unseen.",
    ),
    "finding.noise": (
        "区间只含步间噪声，每个实验只有一个种子。",
        "Step noise only, one seed per run.",
    ),
    "finding.validation_noise": (
        "{title} 只有 {n} 题：{counts}，不足以区分。",
        "{title} has only {n} {n:item|items} ({counts}): too few to tell runs apart.",
    ),
    "finding.validation_apart": (
        "{title}（{n} 题）：{counts}，至少一对区间不含 0。",
        "{title}, {n} {n:item|items} ({counts}): at least one pair differs by more than its interval.",
    ),
    "finding.bound": ("{run} ≥ {rate}%", "{run} ≥ {rate} %"),
    "finding.lower_bound": (
        "{runs}：奖励含超长惩罚，通过率只是下界，不参与排名。",
        "{runs}: a lower bound (overlong penalty), not ranked.",
    ),
    "finding.episode_recovered": (
        "{run} 在 {steps} 步有 {n} 项指标一起偏离，随后恢复。",
        "{run}: {n} {n:metric|metrics} off baseline at {steps:step|steps} {steps}, recovered.",
    ),
    "finding.episode_open": (
        "{run} 从 {steps} 步起有 {n} 项指标偏离，尚未恢复。",
        "{run}: {n} {n:metric|metrics} off baseline from {steps:step|steps} {steps}, not recovered.",
    ),
    "window.snapshot": (
        "{run} 的归档快照止于第 {step} 步",
        "the archived snapshot of {run} ends at step {step}",
    ),
    "fact.cap": ("响应上限 {n} 词元", "response cap {n} {n:token|tokens}"),
    "fact.batch": ("每步 {prompts} 题 × {answers} 条", "{prompts} {prompts:prompt|prompts} × {answers} {answers:response|responses} per step"),
    "fact.reward_scale": ("奖励 {low} 到 {high}", "rewards {low} to {high}"),
    "fact.state": ("{n} 个{state}", "{n} {state}"),
    "fact.single_seed": ("单一随机种子", "single seed"),
    "config_from.config": ("{name}：据日志里打印的配置", "{name}, by the config in the log"),
    "config_from.hydra": ("{name}：据日志旁的 hydra 文件夹", "{name}, by hydra's folder beside the log"),
    "config_from.overrides": ("{name}：据命令行", "{name}, by the command line"),
    "config_from.name": ("{name}：据名称推断", "{name}, guessed from the name"),
    "config_from.fingerprint": ("{name}：据指标特征推断", "{name}, guessed from its metrics"),
    "config_from.none": ("日志没有配置", "no config in the log"),
    "empty.no_step": (
        "还没有训练步；日志写出第一个 step 行后自动显示",
        "No training step yet; it shows by itself with the first step line of the log",
    ),
    "report.cut": ("{n} 行被截断", "{n} cut {n:line|lines}"),
    "report.rejected": ("{n} 项无法读作数值", "{n} {n:item that is no number|items that are no numbers}"),
    "report.blocks": (
        "{n} 步没有 step 行，其验证结果取自日志里打印的验证块",
        "{n} {n:step without its|steps without their} step line, read from the printed validation {n:block|blocks}",
    ),
    "report.recovered": ("从验证块找回 {n} 个值", "{n} {n:value|values} recovered from validation blocks"),
    "report.missing": (
        "缺 {n} 步：{steps}；若是 Ray 合并了相似的行，可设 RAY_DEDUP_LOGS=0",
        "{n} {n:step|steps} missing: {steps}; if Ray merged lines that look alike, set RAY_DEDUP_LOGS=0",
    ),
    "overview.runs": ("{tracks} 个分组，共 {runs} 个实验", "{runs} {runs:run|runs} on {tracks} {tracks:track|tracks}"),
    "overview.states": ("已结束 {ended}，进行中 {live}", "{ended} finished, {live} in progress"),
    "overview.logs": ("{n} 个日志，全部已读", "{n} log {n:file|files}, all read"),
    "overview.logs_left": ("{n} 个日志已读，{left} 个文件未读（见读取报告）", "{n} log {n:file|files} read, {left} left out (see the reading report)"),
    "overview.logs_waiting": ("{n} 个日志，{w} 个待读", "{n} log {n:file|files}, {w} still to read"),
    "overview.window": ("对齐窗口 {first}–{last} 步", "aligned window {first}–{last}"),
    "progress.steps": ("{done}/{planned} 步", "{done}/{planned} {planned:step|steps}"),
    "progress.done": ("{done} 步", "{done} {done:step|steps}"),
    "progress.elapsed": ("已用 {time}", "{time} so far"),
    "progress.spent": ("用时 {time}", "{time} of training"),
    "progress.remaining": ("约剩 {range} h", "{range} h left"),
    "progress.validation": ("{steps} 步后验证", "validation in {steps} {steps:step|steps}"),
    "progress.validation_at": (
        "{steps} 步后验证（约 {minutes} 分钟）",
        "validation in {steps} {steps:step|steps} (about {minutes} min)",
    ),
    "attention.recovered": ("{steps} 步：{moved}；已恢复", "{steps}: {moved}; recovered"),
    "attention.not_recovered": ("{steps} 步：{moved}；未恢复", "{steps}: {moved}; not recovered"),
    "attention.single": ("仅{metric}偏离：{told}", "{metric} alone: {told}"),
    "attention.more": ("另 {n} 项", "{n} more"),
    "attention.at": ("第 {step} 步 {value}", "{value} at {step}"),
    "attention.over": (
        "第 {step} 步 {value}（超过裁剪线 {clip}）",
        "{value} at {step} (above the clip at {clip})",
    ),
    "attention.not_executed": (
        "配置了{part}，但日志没有它运行过的记录",
        "{part} is configured, but no log line shows that it ran",
    ),
    "slope.same_order": ("两侧次序相同：{order}", "Same order: {order}"),
    "slope.same_top": (
        "{run} 两边都{most}，其余次序改变",
        "{run} {most} on both, the others change places",
    ),
    "slope.same_ends": (
        "{run} 两边都{most}，{last} 两边都{least}，其余次序改变",
        "{run} {most}, {last} {least} on both; the others change places",
    ),
    "slope.changed": (
        "次序改变：{run} 在 {left} {most}，在 {right} 排第 {rank}",
        "Order changes: {run} {most} on {left}, ranks {rank} on {right}",
    ),
    "slope.first_last": (
        "次序改变：{run} 在 {left} {most}，在 {right} {least}",
        "Order changes: {run} {most} on {left}, {least} on {right}",
    ),
    "slope.open": (
        "次序未定。{left}：{one}；{right}：{two}",
        "No settled order. {left}: {one}; {right}: {two}",
    ),
    "slope.reversed": (
        "次序反转：{run} 在 {left} {most}，在 {right} {least}",
        "Order reverses: {run} {most} on {left}, {least} on {right}",
    ),
    "slope.too_few": ("可排序的实验不足两个", "Fewer than two runs can be ranked"),
}
