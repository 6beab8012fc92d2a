"""Settings of a run as the comparison of algorithms says them."""

TEXT = {
    "aggregation.token-mean": ("词元平均", "token mean"),
    "aggregation.seq-mean-token-mean": ("先按回答平均", "mean per response first"),
    "aggregation.seq-mean-token-sum": ("按回答求和", "sum per response"),
    "aggregation.seq-mean-token-sum-norm": ("固定 C", "fixed C"),
    "aggregation.token-sum": ("词元求和", "token sum"),
    "kl.loss": ("损失 {kind} {coef}", "loss, {kind} {coef}"),
    "kl.reward": ("奖励 {kind} {coef}", "reward, {kind} {coef}"),
    "answer.yes": ("有", "yes"),
    "answer.no": ("无", "no"),
    "answer.none": ("无", "none"),
    "sampling.on": ("是", "yes"),
    "sampling.off": ("否", "no"),
    "sampling.configured": ("已配置", "configured"),
    "sampling.not_executed": ("已配置，未见执行", "configured, not seen running"),
}
