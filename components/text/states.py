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
    "reason.no_step": ("没有 step 行", "no step line"),
    "damage.gzip_truncated": ("gzip 数据不完整", "the gzip data end early"),
    "damage.gzip_corrupt": ("gzip 数据损坏", "the gzip data are damaged"),
    "damage.unreadable": ("文件没能读到末尾", "the file could not be read to its end"),
    "roots.given": ("读取命令行给出的路径", "Reading the paths of the command line"),
    "roots.demo_asked": ("按要求显示演示数据", "Demo data, as asked for"),
}
