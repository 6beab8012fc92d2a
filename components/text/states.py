"""States of runs, and what a reading met."""

TEXT = {
    "state.starting": ("启动中", "starting"),
    "state.live": ("训练中", "live"),
    "state.late": ("延迟", "late"),
    "state.stalled": ("停滞", "stalled"),
    "state.ended": ("已完成", "done"),
    "state.stopped": ("已中止", "stopped"),
    "state.crashed": ("已崩溃", "crashed"),
    "reason.empty": ("空文件", "the file is empty"),
    "reason.binary": ("不是文本文件", "this is no text file"),
    "reason.other_format": ("不支持的格式：{format}", "format not supported: {format}"),
    "reason.crashed": ("第一步之前就崩溃：{text}", "crashed before the first step: {text}"),
    "reason.stopped": ("第一步之前被中止：{text}", "stopped before the first step: {text}"),
    "reason.starting": ("已启动，还没有 step 行", "started, no step line yet"),
    "reason.not_a_log": (
        "没有 step 行，也没有训练启动的痕迹",
        "no step line, and nothing a training writes when it starts",
    ),
    "reason.unreadable": ("无法读取：{error}", "cannot be read: {error}"),
    "reason.untrained": (
        "只有训练开始前的验证，没有训练步",
        "a validation before training, and no training step",
    ),
    "reason.no_step": ("没有 step 行", "no step line"),
    "rejected.no_number": ("冒号后不是数字", "no number after the colon"),
    "rejected.no_colon": ("没有冒号", "no colon"),
    "damage.gzip_truncated": ("gzip 数据不完整", "the gzip data end early"),
    "damage.gzip_corrupt": ("gzip 数据损坏", "the gzip data are damaged"),
    "damage.unreadable": ("文件没能读到末尾", "the file could not be read to its end"),
    "cache.damaged": ("缓存有损坏，已从日志重读", "parts of it were damaged and have been read again"),
    "cache.full": (
        "磁盘已满，解析结果只留在内存：{why}",
        "the disk is full, so parsed logs stay in memory: {why}",
    ),
    "cache.unwritable": (
        "缓存目录不可写，解析结果只留在内存：{why}",
        "it cannot be written, so parsed logs stay in memory: {why}",
    ),
    "missing.validation": ("日志里没有验证结果", "no validation result in the log"),
    "missing.validation_score": (
        "验证记的是 {low} 到 {high} 的得分，不是正确率",
        "its validation holds scores from {low} to {high}, not accuracy",
    ),
    "banner.cache": ("缓存", "Cache"),
    "roots.given": ("读取命令行给出的路径", "Reading the paths of the command line"),
    "roots.demo_asked": ("按要求显示演示数据", "Demo data, as asked for"),
}
