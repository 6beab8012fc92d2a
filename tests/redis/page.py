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
        answer = self.call("reading.data", "load.data", self.asked())
        return {"cacheKey": answer["cacheKey"], "job": answer["job"]}

    def finish(self, handles: Json) -> Json:
        """Follow a reading to its end; gives the manifest. Raises AssertionError when it takes too long."""
        pause = threading.Event()
        for _ in range(POLLS):
            answer = self.call("reading.data", "load.data", self.asked(), **handles)
            if "response" in answer:
                return self.manifest()
            pause.wait(POLL_SECONDS)
        raise AssertionError("the reading did not end")

    def read(self) -> Json:
        return self.finish(self.start())

    def manifest(self) -> Json:
        """The manifest as a page gets it that knows nothing yet, once everything is read."""
        pause = threading.Event()
        for _ in range(POLLS):
            answer = self.call("manifest.data", "poll.n_intervals", {"poll.n_intervals": 1})
            found = dict(answer["response"]["manifest"]["data"])
            if not found["unread"]:  # a process may answer from the look before
                return found
            pause.wait(POLL_SECONDS)
        raise AssertionError("logs are left unread")

    def reading(self) -> Json:
        """What a page is told of the background reading."""
        answer = self.call("manifest.data", "poll.n_intervals", {"poll.n_intervals": 1})
        return dict(answer["response"].get("reading", {}).get("data", {}))

    def asked(self) -> Json:
        """Values of a request for a background reading."""
        return {"load.data": f"asked by {self.token}", "page-token.data": self.token}

    def tab(self, manifest: Json, tab: str) -> Json:
        """What a page is given to show a tab: the answers to its script's saying what is to be shown."""
        content = {"tab": tab, "ep": "", "version": manifest["version"], "key": manifest["version"]}
        values = {"content.data": content, "selection.data": {}}
        asked = [
            each["output"]
            for each in self.callbacks
            if not each.get("clientside_function") and "content.data" in map(_name, each["inputs"])
        ]
        return {name: self.call(_outputs(name)[0], "content.data", values) for name in asked}

    def csv(self) -> bytes:
        return get(f"{self.url}/csv")


def get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return bytes(answer.read())


def _name(dependency: Json) -> str:
    return f"{dependency['id']}.{dependency['property']}"


def _outputs(text: str) -> list[str]:
    return [name.partition("@")[0] for name in text.strip(".").split("...")]


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
