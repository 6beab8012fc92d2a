"""The page that asks for the password."""

TEXT = {
    "login.title": ("登录看板", "Sign in to the board"),
    "login.label": ("密码或令牌", "Password or token"),
    "login.go": ("进入", "Open the board"),
    "login.wrong": ("密码或令牌不对。", "That is not the password or token."),
    "login.wait": (
        "错误次数太多，请在 {n} 秒后再试。",
        "Too many wrong attempts. Try again in {n} {n:second|seconds}.",
    ),
    "login.where": (
        "令牌在启动看板的终端里；密码请问启动看板的人。",
        "The token stands in the terminal where the board was started; whoever started it knows the password.",
    ),
}
