"""The demo's board.toml: what its tracks and runs are, in both languages."""

BOARD = """\
# Written with the demo data. Every key is optional; tracks and experiments are recognised without this file.

logs = ["archive"]
title = {zh = "RL 实验看板", en = "RL Board"}

[tracks.2b]
model = "Qwen3.5-2B"
hardware = {zh = "2×A100-80GB，non-thinking，16K 响应", en = "2×A100-80GB, non-thinking, 16K response"}
response_cap = 16384
window = [1, 129]
reward_scale = [-1, 1]
validation_key = "val-core/math_500/acc/mean@1"
validation_items = {aime24 = 30, math_500 = 500}

[tracks.2b.notes]
zh = \"\"\"
对比图默认只看 1–129 步：E1 的归档快照停在 129 步，其余来自续训日志。AIME24 为 25–150 步，不截断。
主要判据 math_500 尚未测量；30 题的 AIME24 分不出名次。
\"\"\"
en = \"\"\"
Comparison charts open on steps 1–129, because the archived snapshot of E1 ends there and its later steps come from
a resumed log. AIME24 keeps all points from 25 to 150. The primary measure, math_500, has not been taken yet, and
30 AIME24 items cannot rank the runs.
\"\"\"

[tracks.4b]
model = "Qwen3.5-4B"
hardware = {zh = "4×A100-80GB，TP=4，offload 关闭，non-thinking，16K 响应", en = "4×A100-80GB, TP=4, offload off, non-thinking, 16K response"}
response_cap = 16384
reward_scale = [-1, 1]
validation_key = "val-core/math_500/acc/mean@1"
validation_items = {aime24 = 30, math_500 = 500}

[tracks.4b.notes]
zh = "E1–E4 各有完整的 150 步，E5 仍在训练。E2 的第一个日志只有启动信息。"
en = "E1 to E4 hold all 150 steps and E5 is still training. The first log of E2 ends before its first step."

[tracks.multimodal]
hardware = {zh = "4×A100-80GB，2K 响应（虚构数据）", en = "4×A100-80GB, 2K response (invented data)"}
model = "Qwen2.5-VL-3B"
response_cap = 2048
reward_scale = [0, 1]
validation_key = "val-core/hiyouga/geometry3k/acc/mean@1"
validation_items = {"hiyouga/geometry3k" = 601}

[tracks.multimodal.notes]
zh = "本页三个实验为演示而虚构。奖励在 0 到 1 之间：答案占 0.9，格式占 0.1；提示长度包含图像词元。"
en = "The three runs of this page are invented for the demo. Rewards run from 0 to 1: 0.9 for the answer, 0.1 for its format; prompt lengths include image tokens."

[experiments.e1_grpo_2b]
label = "E1"
title = {zh = "平稳上升，各项居中", en = "steady climb, middle of every chart"}
notes = {zh = "129 步后中断，从 128 步的检查点续训，所以第 129 步有两份。KL 损失（low_var_kl，1e-3）缓慢上升，没有失控。", en = "Stopped after step 129 and resumed from the checkpoint of step 128, so step 129 exists twice. Its KL loss (low_var_kl, 1e-3) grows slowly and stays small."}

[experiments.e2_dapo_2b]
label = "E2"
title = {zh = "响应最短，用时最少，熵最高", en = "shortest responses, fewest hours, highest entropy"}
notes = {zh = "奖励里含超长惩罚，因此通过率是下界。配置打开了动态采样，但日志没有它运行过的迹象。", en = "The overlong penalty is part of the reward, so its pass rate is a lower bound. Dynamic sampling is configured, yet nothing in the log shows that it ran."}

[experiments.e3_drgrpo_2b]
label = "E3"
title = {zh = "末段通过率最高，响应变长；133–140 步有一次异常", en = "highest final pass rate, longer responses, one episode at 133–140"}
notes = {zh = "按固定长度聚合损失，日志里的熵随响应长度缩放，换算成词元级后起点与其他实验一致。", en = "The loss is divided by a fixed length, which also scales the logged entropy; in token units it starts where the others do."}

[experiments.e4_rloo_2b]
label = "E4"
title = {zh = "起点最高，长度最稳", en = "highest start, steadiest length"}
notes = {zh = "留一法基线，KL 放在损失里（low_var_kl，1e-3）。优势与 E3 只差常数 8/7，差别来自聚合方式与 KL。", en = "Leave-one-out baseline with the KL term in the loss (low_var_kl, 1e-3). Its advantages are those of E3 times 8/7; aggregation and KL make the difference."}

[experiments.e5_reinforcepp_2b]
label = "E5"
title = {zh = "刚启动，还没有训练步", en = "starting, no step yet"}

[experiments.e1_grpo_4b]
label = "E1"
title = {zh = "长度增长最多，用时最长", en = "largest growth in length, most hours"}
notes = {zh = "最后一次 AIME24 为 19/30，比前一次少 3 题；区间很宽，单凭 30 题不能断定退步。", en = "The last AIME24 point is 19/30, three items below the one before. With 30 items that alone does not show a decline."}

[experiments.e2_dapo_4b]
label = "E2"
title = {zh = "唯一熵持续上升的实验；43、59 步梯度尖峰", en = "the only rising entropy; gradient spikes at 43 and 59"}
notes = {zh = "两次尖峰都只有一步，其中 59 步超过裁剪线 1.0。通过率含超长惩罚，是下界。", en = "Both spikes last one step, and the one at 59 lies above the clip at 1.0. The pass rate contains the overlong penalty and is a lower bound."}

[experiments.e3_drgrpo_4b]
label = "E3"
title = {zh = "长度增长最少，用时最短", en = "smallest growth in length, fewest hours"}
notes = {zh = "梯度范数最低的一部分原因是固定长度的损失聚合，不同聚合之间不能直接比较。", en = "Part of its low gradient norm comes from dividing the loss by a fixed length; such norms are not comparable across aggregations."}

[experiments.e4_rloo_4b]
label = "E4"
title = {zh = "熵与 E1 接近，AIME24 单点最高", en = "entropy close to E1, best single AIME24 point"}
notes = {zh = "125 步的 25/30 是 24 个点中的最大值，挑出来的最大值偏高。", en = "25/30 at step 125 is the largest of 24 points, and a selected maximum is biased upwards."}

[experiments.e5_reinforcepp_4b]
label = "E5"
title = {zh = "训练中，尚未到首次验证", en = "training, first validation still ahead"}
notes = {zh = "没有组内基线，优势按整批词元标准化；KL 损失为 mse。21 步的通过率起伏在采样噪声之内。", en = "No group baseline: advantages are whitened over all tokens of the batch, and the KL loss is mse. The swings of its 21 pass rates are within sampling noise."}

[experiments.vl_e1_grpo]
label = "E1"
title = {zh = "虚构：多模态 GRPO", en = "invented: multimodal GRPO"}

[experiments.vl_e2_dapo]
label = "E2"
title = {zh = "虚构：动态采样有运行记录", en = "invented: dynamic sampling that did run"}
notes = {zh = "`train/num_gen_batches` 证明动态采样真的执行过。日志缺第 58 步。", en = "`train/num_gen_batches` proves that dynamic sampling was carried out. The line of step 58 is lost."}

[experiments.vl_e4_rloo]
label = "E4"
title = {zh = "虚构：一次 NaN 梯度", en = "invented: one NaN gradient"}
notes = {zh = "第 73 步的梯度范数为 NaN，该步更新被跳过。", en = "The gradient norm of step 73 is NaN and its update was skipped."}
"""  # noqa: E501
