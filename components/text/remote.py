"""Logs behind an address: fetching them, and why a server cannot be read."""

TEXT = {
    "banner.remote": ("远程日志", "Remote logs"),
    "remote.looking": ("正在查看 {path}", "Looking at {path}"),
    "remote.fetching": ("正在取回 {path}：{done} / {total} MB", "Fetching {path}: {done} of {total} MB"),
    "remote.failed": ("{what}。{kept}", "{what}. {kept}"),
    "remote.kept": ("显示的是 {since} 取得的数据", "Shown is what was there at {since}"),
    "remote.nothing_kept": ("还没有取到任何数据", "Nothing has been fetched yet"),
    "remote.extra": (
        "读取 {path} 需要安装另外的软件包：{error}",
        "Reading {path} needs another package: {error}",
    ),
    "remote.auth": (
        "{path} 拒绝了登录：{error}",
        "{path} refused the login: {error}",
    ),
    "remote.host_key": (
        "{path} 的主机密钥未知或已改变：请先用 ssh 登录一次并核对（{error}）",
        "The host key of {path} is unknown or has changed: log in once with ssh and compare it ({error})",
    ),
    "remote.denied": ("没有读取 {path} 的权限：{error}", "No permission to read {path}: {error}"),
    "remote.missing": ("{path} 不存在：{error}", "{path} does not exist: {error}"),
    "remote.unknown": ("无法读取 {path}：{error}", "Cannot read {path}: {error}"),
    "remote.down": ("{path} 没有应答：{error}", "{path} does not answer: {error}"),
    "remote.unwritable": (
        "无法保存 {path} 的副本：{error}",
        "The copy of {path} cannot be written: {error}",
    ),
    "skip.remote_link": ("远程链接，未跟随", "link on a remote server, not followed"),
    "skip.remote_name": ("文件名不能用于本地", "a name that cannot be used here"),
    "skip.remote_size": ("服务器没有给出文件大小", "the server does not tell its size"),
}
