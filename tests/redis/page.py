"""A page without a browser: speaks to a board as Dash's own script does."""

from __future__ import annotations

import json
import re
import threading
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

Json = dict[str, Any]
POLLS = 600
POLL_SECONDS = 0.1


class Page:
    """One page load. Every request is a connection of its own, so any web process may answer it."""

    def __init__(self, url: str) -> None:
        self.url = url
        html = get(f"{url}/").decode()
        config = re.search(r'<script id="_dash-config" type="application/json">(.*?)</script>', html)
        assert config is not None
        self.end_id = json.loads(config[1])["end_id"]
        stores = dict(_stores(json.loads(get(f"{url}/_dash-layout"))))
        self.token, self.first_manifest = stores["page-token"], stores["manifest"]
        self.callbacks: list[Json] = json.loads(get(f"{url}/_dash-dependencies"))

    def call(self, output: str, changed: str, values: Mapping[str, Any], **handles: Any) -> Json:
        """Run the callback that has this output and this input, both `id.property`."""
        callback = next(
            each
            for each in self.callbacks
            if output in _outputs(each["output"]) and changed in map(_name, each["inputs"])
        )
        outputs = [
            dict(zip(("id", "property"), name.rsplit(".", 1), strict=True))
            for name in callback["output"].strip(".").split("...")
        ]
        body = {
            "output": callback["output"],
            "outputs": outputs if callback["output"].startswith("..") else outputs[0],
            "inputs": [{**each, "value": values.get(_name(each))} for each in callback["inputs"]],
            "state": [{**each, "value": values.get(_name(each))} for each in callback["state"]],
            "changedPropIds": [changed],
        }
        query = urlencode({"endId": self.end_id, **handles})
        request = urllib.request.Request(
            f"{self.url}/_dash-update-component?{query}",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return dict(json.loads(answer.read() or b"{}"))

    def start(self) -> Json:
        """Ask for a background reading; gives the handles to follow it by."""
        asked = {"load.data": f"asked by {self.token}", "page-token.data": self.token}
        answer = self.call("manifest.data", "load.data", asked)
        return {"cacheKey": answer["cacheKey"], "job": answer["job"]}

    def finish(self, handles: Json) -> Json:
        """Follow a reading to its end; gives the manifest. Raises AssertionError when it takes too long."""
        asked = {"load.data": f"asked by {self.token}", "page-token.data": self.token}
        pause = threading.Event()
        for _ in range(POLLS):
            answer = self.call("manifest.data", "load.data", asked, **handles)
            if "response" in answer:
                return dict(answer["response"]["manifest"]["data"])
            pause.wait(POLL_SECONDS)
        raise AssertionError("the reading did not end")

    def read(self) -> Json:
        return self.finish(self.start())

    def figures(self, manifest: Json, tab: str) -> Json:
        """The figures of a tab."""
        values = {"tab.data": tab, "manifest.data": manifest, "selection.data": {}}
        return dict(self.call("figures.data", "manifest.data", values)["response"]["figures"]["data"])

    def body(self, manifest: Json, tab: str) -> Any:
        """The content of a tab."""
        values = {"tab.data": tab, "manifest.data": manifest, "selection.data": {}}
        return self.call("page.children", "manifest.data", values)["response"]["page"]["children"]

    def csv(self) -> bytes:
        return get(f"{self.url}/csv")


def get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return bytes(answer.read())


def _name(dependency: Json) -> str:
    return f"{dependency['id']}.{dependency['property']}"


def _outputs(text: str) -> list[str]:
    return [name.partition("@")[0] for name in text.strip(".").split("...") if "@" not in name]


def _stores(component: Any) -> Iterator[tuple[str, Any]]:
    """Ids and values of everything in a layout that holds data."""
    if isinstance(component, list):
        for each in component:
            yield from _stores(each)
    elif isinstance(component, dict) and "props" in component:
        props = component["props"]
        if "id" in props and "data" in props:
            yield props["id"], props["data"]
        yield from _stores(props.get("children"))
