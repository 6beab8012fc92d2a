"""Where the logs were looked for, what was left out, and what is wrong in board.toml."""

TEXT = {
    "roots.config": ("按 board.toml 中的 logs 读取", "Reading the logs named in board.toml"),
    "roots.folders": ("读取当前目录下的 archive 与 logs", "Reading archive and logs in the working folder"),
    "roots.demo": (
        "没有找到日志，显示的是演示数据",
        "No logs were found here, so this is the demo data",
    ),
    "root.missing": ("路径不存在：{path}", "No such path: {path}"),
    "root.unreadable": ("无法读取 {path}：{error}", "Cannot read {path}: {error}"),
    "root.special": ("{path} 既不是文件夹也不是文件", "{path} is neither a folder nor a file"),
    "skip.alias": ("链接指向已读取的 {target}", "link to {target}, which is read already"),
    "skip.broken_link": ("链接无法打开：{error}", "link that leads nowhere: {error}"),
    "skip.empty": ("空文件", "empty file"),
    "skip.hidden": ("隐藏的文件或文件夹", "hidden file or folder"),
    "skip.hidden_by_config": ("board.toml 将其设为隐藏", "hidden by board.toml"),
    "skip.link_outside": (
        "未跟随指向外部的链接：请加上 --logs {target}",
        "link not followed, it leaves the given folders: add --logs {target}",
    ),
    "skip.no_format": ("不是已知格式的训练日志", "not a training log of a known format"),
    "skip.older_state": (
        "较早检查点的状态文件，内容都在更新的文件里",
        "state of an earlier checkpoint: a later file holds all of it",
    ),
    "skip.other_name": ("文件名不像日志", "file without the name of a log"),
    "skip.special": ("不是普通文件", "not a regular file"),
    "skip.too_deep": ("超过 {limit} 层的文件夹未打开", "folder below level {limit}, not opened"),
    "skip.too_many_files": (
        "只读取前 {limit} 个日志名文件",
        "beyond the first {limit} {limit:file that has|files that have} the name of a log",
    ),
    "skip.too_many_folders": ("只打开前 {limit} 个文件夹", "beyond the first {limit} {limit:folder|folders}"),
    "skip.twin": ("同一日志的压缩副本", "compressed copy of the log beside it"),
    "skip.unreadable": ("无法读取：{error}", "cannot be read: {error}"),
    "config.wrong": ("{path}：应为 {expected}，实际为 {got}", "{path}: expected {expected}, got {got}"),
    "config.unknown": ("{path}：未知的键", "{path}: unknown key"),
    "config.near": ("{path}：未知的键，是否指 {near}？", "{path}: unknown key, did you mean {near}?"),
    "config.unreadable": ("board.toml 无法读取：{error}", "board.toml cannot be read: {error}"),
}
