"""What only a page written to a file says."""

TEXT = {
    "exported.banner": ("导出页面", "Exported page"),
    "exported.banner.text": (
        "数据截至 {data}，导出于 {made}。缩放、筛选、语言与配色照常；平滑、横轴换算、CSV 下载与原始日志需运行看板。",
        "data as of {data}, written {made}. Zoom, filters, language and theme work; smoothing, other x axes, "
        "CSV and raw lines need the running board.",
    ),
    "exported.banner.empty": ("尚无", "none yet"),
}
