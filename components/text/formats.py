"""What has to be said of how a file of some format was read."""

TEXT = {
    "report.from_source": (
        "格式依据源代码写成，尚未见过真实日志",
        "format read from source code: no real log of it was seen",
    ),
    "report.steps_inferred": (
        "日志行里没有步数：步数取自进度条，或按行数推算",
        "the lines name no step: steps are taken from the progress bar, or counted",
    ),
    "report.completes": (
        "同一训练的另一份记录，用来补上缺少的值",
        "another record of the same training, for values that are missing",
    ),
    "report.words": ("非数值的内容未读入", "values that are no numbers were left out"),
    "report.events_damaged": (
        "有一条记录损坏，其后的内容未读",
        "a damaged record: what stands behind it was not read",
    ),
    "report.too_long": (
        "文件超出此格式的读取上限，后面的部分未读",
        "the file is too long for this format and was not read to its end",
    ),
    "note.fallback.probs_diff": (
        "日志没有概率差，这里是对数概率差的绝对值：{key}",
        "The log has no difference of probabilities; this is the absolute difference of log-probabilities: {key}",
    ),
    "note.completed": (
        "{n} 个值取自同一训练的另一份记录 {file}",
        "{n} {n:value|values} from {file}, another record of the same training",
    ),
    "rejected.no_step": ("没有步数", "no step number"),
    "rejected.no_record": ("不是此格式的记录", "no record of this format"),
    "raw.binary": (
        "该文件是二进制格式，没有可显示的原文",
        "the file is binary: there is no text to show",
    ),
}
