"""What only a page written to a file says."""

TEXT = {
    "exported.banner": ("导出页面", "Exported page"),
    "exported.banner.text": (
        "数据截至 {data}，导出于 {made}。平滑、横轴换算、CSV、配置与日志原文需运行看板，其余照常。",
        "data as of {data}, written {made}. Smoothing, other x axes, CSV, configurations and whole logs need the running board.",
    ),
    "exported.banner.empty": ("尚无", "none yet"),
}
