"""Notes of people on steps of runs: their dialog, and what may be wrong with their file."""

CLIENT: dict[str, tuple[str, str]] = {
    "notes.open": ("笔记", "Notes"),
    "notes.count": ("笔记 {n}", "Notes {n}"),
    "notes.title": ("笔记", "Notes"),
    "notes.none": (
        "所选实验还没有笔记。写下当时改了什么、看到了什么，所有人都能在图上看到。",
        "No note on the chosen runs yet. Write what was changed or seen; everybody finds it on the charts.",
    ),
    "notes.none.read": ("所选实验没有笔记。", "No note on the chosen runs."),
    "notes.read_only": ("此看板只读，不能写笔记。", "This board is read-only: no notes can be written."),
    "notes.exported": ("导出的页面只显示笔记。", "An exported page only shows notes."),
    "notes.steps": ("第 {range} 步", "{range:step|steps} {range}"),
    "notes.run": ("实验", "Run"),
    "notes.steps.label": ("步或步范围", "Step or steps"),
    "notes.text": ("内容", "Note"),
    "notes.save": ("保存", "Save"),
    "notes.remove": ("撤回", "Take back"),
    "notes.refused.empty": ("内容是空的。", "The note is empty."),
    "notes.refused.long": ("一条笔记最多 2000 字。", "A note has at most 2,000 characters."),
    "notes.refused.steps": ("步应写成 136 或 133-140。", "Steps are written as 136 or 133-140."),
    "notes.refused.run": ("看板上已没有这个实验。", "This run is no longer on the board."),
    "notes.refused.full": ("笔记文件已满（32 MB）。", "The file of notes is full (32 MB)."),
    "notes.refused.read_only": ("此看板只读，笔记未保存。", "This board is read-only; the note was not saved."),
    "notes.refused.disk": (
        "笔记未保存：无法写入 {path}（{why}）。可用 --config 指定一个放在可写文件夹里的 board.toml。",
        "Not saved: {path} cannot be written ({why}). Name a board.toml in a folder of yours with --config.",
    ),
}
"""What the page's scripts say."""

TEXT = CLIENT | {
    "filter.notes": ("图上的笔记", "Notes on charts"),
    "filter.notes.title": ("查看或添加笔记（n）", "Read or add notes (n)"),
    "banner.notes": ("笔记", "Notes"),
    "banner.notes.unreadable": ("无法读取 {path}：{error}", "{path} cannot be read: {error}"),
    "banner.notes.unread": (
        "{path} 中有 {n} 行不是笔记，未显示",
        "{n} {n:line|lines} of {path} {n:is no note and is|are no notes and are} not shown",
    ),
}
