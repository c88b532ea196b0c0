"""Edgewise for programs in Python 3.10 and newer: one module, nothing else needed.

Every request ends; what can be repeated without harm is, a bounded number of times; what is refused
is a ``Refusal``. What is fetched is in memory whole: for large files there is the command line.
"""

from __future__ import annotations

import hashlib
import http.client
import io
import json
import os
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["Client", "JobFailed", "PulledFile", "Refusal"]

Json = dict[str, Any]
Item = TypeVar("Item")

# Bounds of the client; those of the system are the API's.
REQUEST_SECONDS_MAX = 30.0
ATTEMPTS_MAX = 5
RETRY_FIRST_SECONDS = 0.2
RETRY_AFTER_SECONDS_MAX = 20.0
POLL_FIRST_SECONDS = 0.1
POLL_SECONDS_MAX = 2.0
# A wait that is over within this asks for no events: a request that waits occupies a function.
LIVE_AFTER_SECONDS = 5.0
# One request that waits for events, as long as the API lets it; and of a wait that is to say how
# the job goes, as chunks that end are no events.
LIVE_SECONDS_MAX = 25
LOOK_SECONDS_MAX = 5
# What answers with nothing before this part of the time has passed does not wait.
LIVE_ANSWER_SHARE = 0.5
PAGE_LIMIT_MAX = 500
FILES_PER_REQUEST_MAX = 500
# What is larger is sent in parts of this size.
PART_BYTES = 67_108_864
# What a chunk printed may come this much later than the news that it has ended.
OUTPUT_SECONDS_MAX = 15.0
# Parameters of more chunks than these are stored as a file.
PARAMS_IN_BODY_MAX = 100

END_STATES = frozenset({"done", "failed", "cancelled"})


class Refusal(Exception):
    """What the API refused, and why. ``code`` is stable, the text is for people."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        text = problem.get("detail") or problem.get("title") or f"The API answered {status}."
        super().__init__(str(text))
        self.status = status
        self.code: str = problem.get("code") or f"http-{status}"
        self.errors: list[dict[str, str]] = problem.get("errors") or []
        self.request_id: str | None = problem.get("requestId")


class JobFailed(Exception):
    """A job of ``map`` that did not come to its end. ``job`` is the whole of it."""

    def __init__(self, job: Json) -> None:
        status = job["status"]
        super().__init__(f"{job['id']} is {status['state']}: {status.get('reason')}")
        self.job = job


@dataclass(frozen=True)
class PulledFile:
    """A file that a chunk left."""

    chunk: int
    path: str
    size: int
    sha256: str
    url: str = field(repr=False)

    def read(self) -> bytes:
        """The file, compared with its digest."""
        status, _, data = _repeated("GET", self.url, {}, None, True)
        if status != 200:
            raise OSError(f"The store answers {status} for {self.path}.")
        if hashlib.sha256(data).hexdigest() != self.sha256:
            raise OSError(f"{self.path} is not what was stored.")
        return data


class Client:
    """The API at an address, in the name of a token; both from the environment by default."""

    def __init__(self, url: str | None = None, token: str | None = None) -> None:
        self._url = (url or os.environ["EDGEWISE_API"]).rstrip("/")
        self._token = token or os.environ["EDGEWISE_TOKEN"]

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> Any:
        """Any route; JSON as what it is, any other answer as bytes, none as ``None``."""
        answered, text = self._answer(method, path, body, query, key)
        is_json = "json" in (answered.get("content-type") or "")
        return (json.loads(text) if is_json else text) if text else None

    def _answer(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> tuple[Message, bytes]:
        headers = {"authorization": f"Bearer {self._token}"}
        if key is not None:
            headers["idempotency-key"] = key
        data = None
        if body is not None:
            headers["content-type"] = "application/json"
            data = json.dumps(body).encode()
        address = self._url + urllib.parse.quote(path) + _query_text(query or {})
        is_safe = method != "POST" or key is not None
        status, answered, text = _repeated(method, address, headers, data, is_safe)
        if status >= 400:
            raise Refusal(status, _problem_in(text))
        return answered, text

    def items(self, path: str, query: Mapping[str, Any] | None = None) -> Iterator[Json]:
        """Every item of a list, page by page as they are wanted."""
        asked: dict[str, Any] = {"limit": PAGE_LIMIT_MAX, **(query or {})}
        while True:
            page = self.request("GET", path, query=asked)
            yield from page["items"]
            if page["nextCursor"] is None:
                return
            asked["cursor"] = page["nextCursor"]

    def submit(self, job: Json, key: str | None = None) -> Json:
        """With an idempotency key, so that a repetition is still one job."""
        submitted: Json = self.request("POST", "/v1/jobs", job, key=key or str(uuid.uuid4()))
        return submitted

    def wait(
        self,
        job_id: str,
        timeout: float | None = None,
        on_change: Callable[[Json], None] | None = None,
    ) -> Json:
        """The job once it has ended, however it did; ``TimeoutError`` after ``timeout`` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        rest = _Rest(self, job_id, LIVE_SECONDS_MAX if on_change is None else LOOK_SECONDS_MAX)
        last = None
        while True:
            job: Json = self.request("GET", f"/v1/jobs/{job_id}")
            status = job["status"]
            now = (status["state"], status["percent"], json.dumps(status["chunks"]))
            if on_change is not None and now != last:
                on_change(job)
            last = now
            if status["state"] in END_STATES:
                return job
            if not rest.take(None if end is None else end - time.monotonic()):
                raise TimeoutError(f"{job_id} is {status['state']} after {timeout} s.")

    def _news(self, job_id: str, after: str, seconds: int) -> Json | None:
        """What happened to a job behind a cursor; asked once: who waits can look instead."""
        query = {"job": job_id, "after": after, "waitSeconds": seconds}
        headers = {"authorization": f"Bearer {self._token}"}
        address = self._url + "/v1/events" + _query_text(query)
        try:
            status, _, text = _once("GET", address, headers, None)
            found = json.loads(text) if status == 200 else None
        except (OSError, http.client.HTTPException, ValueError):
            return None
        return found if isinstance(found, dict) and "cursor" in found else None

    def cancel(self, job_id: str) -> Json:
        return dict(self.request("DELETE", f"/v1/jobs/{job_id}"))

    def jobs(self, **query: Any) -> Iterator[Json]:
        return self.items("/v1/jobs", query)

    def edges(self, **query: Any) -> Iterator[Json]:
        return self.items("/v1/edges", query)

    def chunks(self, job_id: str, **query: Any) -> Iterator[Json]:
        return self.items(f"/v1/jobs/{job_id}/chunks", query)

    def output(self, job_id: str, chunk: int = 0, stream: str = "stdout") -> bytes:
        """What a chunk printed, as far as the job keeps it; that of an ended one is waited for.

        ``stream="stderr"``: of a job that keeps standard error apart.
        """
        end = time.monotonic() + OUTPUT_SECONDS_MAX
        query = {} if stream == "stdout" else {"stream": stream}
        path = f"/v1/jobs/{job_id}/chunks/{chunk}/output"
        while True:
            try:
                answered, ends = self._answer("GET", path, query=query)
                return self._whole_output(job_id, path, query, answered, ends)
            except Refusal as refusal:
                is_late = time.monotonic() > end
                if refusal.status != 404 or is_late or not self._is_kept(job_id, chunk):
                    raise
                time.sleep(POLL_SECONDS_MAX / 4)

    def _whole_output(
        self, job_id: str, path: str, query: Json, answered: Message, ends: bytes
    ) -> bytes:
        """Of a long output both ends; where its job keeps all of it, what follows the first."""
        omitted = answered.get("edgewise-omitted")
        if omitted is None:
            return ends
        total = int(answered["edgewise-next-offset"])
        whole_mb = self.request("GET", f"/v1/jobs/{job_id}")["spec"].get("outputMb") or 0
        if total > whole_mb * 1_048_576:
            return ends
        attempt = answered["edgewise-attempt"]
        whole = bytearray(ends[: int(omitted.split("-")[0])])
        end = time.monotonic() + OUTPUT_SECONDS_MAX
        while len(whole) < total:
            place = {**query, "attempt": attempt, "offset": len(whole)}
            of_part, part = self._answer("GET", path, query=place)
            is_next = int(of_part["edgewise-next-offset"]) == len(whole) + len(part)
            if part and is_next and of_part["edgewise-attempt"] == attempt:
                whole += part
            elif time.monotonic() > end:
                return ends
            else:
                time.sleep(POLL_SECONDS_MAX / 4)
        return bytes(whole)

    def _is_kept(self, job_id: str, chunk: int) -> bool:
        """Whether the output of a chunk that has ended is on its way."""
        kept = self.request("GET", f"/v1/jobs/{job_id}")["spec"]["keepOutput"]
        state = self.request("GET", f"/v1/jobs/{job_id}/chunks/{chunk}")["state"]
        return state in {"none": (), "failed": ("dead",), "all": ("dead", "done")}[kept]

    def put(self, data: bytes | Path, pool: str | None = None) -> str:
        """Stores bytes or a file unless they are there; the digest by which a job names them."""
        sha256, size, sums = _sums_of(data)
        body = {"sha256": sha256, "bytes": size, **({} if pool is None else {"pool": pool})}
        if len(sums) > 1:
            body["parts"] = sums
        for _ in range(len(sums) + 2):
            answer = self.request("POST", "/v1/files", body)
            if answer["present"]:
                return sha256
            for part in answer.get("parts", [answer]):
                _send(part, _part_of(data, part.get("number", 1)))
            if len(sums) <= 1:
                return sha256
        raise OSError(f"The store does not keep the parts of {sha256}.")

    def put_tree(self, root: str | Path, pool: str | None = None) -> str:
        """Stores what lies below a directory; the digest by which a job names it as ``manifest``.

        Only what is not there is sent. Equal trees have equal digests; links stay links.
        """
        base = Path(root)
        entries: list[Json] = []
        paths: dict[str, Path] = {}
        for path in sorted(base.rglob("*")):
            name = path.relative_to(base).as_posix()
            if path.is_symlink():
                _check_link(base, path)
                entries.append({"path": name, "link": os.readlink(path)})
            elif path.is_file():
                sha256, size, sums = _sums_of(path)
                mode = "755" if path.stat().st_mode & 0o100 else "644"
                entries.append({"path": name, "sha256": sha256, "bytes": size, "mode": mode})
                if len(sums) > 1:
                    self.put(path, pool)
                else:
                    paths[sha256] = path
        entries.sort(key=lambda entry: entry["path"].encode("utf-16-be"))
        self._put_all(paths, pool)
        lines = (json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in entries)
        return self.put(("[" + ",\n".join(lines) + "]\n").encode(), pool)

    def _put_all(self, paths: Mapping[str, Path], pool: str | None) -> None:
        digests = list(paths)
        for at in range(0, len(digests), FILES_PER_REQUEST_MAX):
            some = digests[at : at + FILES_PER_REQUEST_MAX]
            files = [{"sha256": one, "bytes": paths[one].stat().st_size} for one in some]
            body = {"files": files, **({} if pool is None else {"pool": pool})}
            for answer in self.request("POST", "/v1/files/uploads", body)["items"]:
                if not answer["present"]:
                    _send(answer, paths[answer["sha256"]].read_bytes())

    def files(self, job_id: str, **query: Any) -> Iterator[PulledFile]:
        """The files that the chunks left, by chunk and path; links are left out."""
        for found in self.items(f"/v1/jobs/{job_id}/files", query):
            if "url" in found:
                names = ("chunk", "path", "sha256", "url")
                yield PulledFile(**{name: found[name] for name in names}, size=found["bytes"])

    def pull(self, job_id: str, to: str | Path | None = None, **query: Any) -> list[Path]:
        """Fetches them to ``<to>/<chunk>/<path>``; ``to`` is the job's id by default."""
        root = Path(to if to is not None else job_id)
        pulled = []
        for found in self.files(job_id, **query):
            target = root / str(found.chunk) / found.path
            below = (root / str(found.chunk)).resolve()
            if not target.resolve().is_relative_to(below):
                raise OSError(f"{found.path} leads out of {below}.")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(found.read())
            pulled.append(target)
        return pulled

    def map(
        self,
        fn_argv: Callable[[Item], Sequence[str]] | Sequence[str],
        items: Iterable[Item],
        timeout: float | None = None,
        **job: Any,
    ) -> Iterator[bytes]:
        """What a program prints for each item, in the order of the items.

        ``fn_argv`` says the program and its words for an item; or it is the words, with ``{item}``
        for the item. All of them are one job, submitted at once; what is printed is read when it is
        asked for. Further fields of the job are given by name. A chunk that fails is ``JobFailed``.
        """
        rows = [_words_of(fn_argv, item) for item in items]
        if not rows:
            return iter(())
        if len({len(row) for row in rows}) > 1:
            raise ValueError("Every item has to give as many words as the others.")
        # A word is a parameter, which stands in the place of its name: no shell sees it.
        names = [f"w{at}" for at in range(len(rows[0]))]
        params = [dict(zip(names, row, strict=True)) for row in rows]
        body = {"params": self._params(params, job.get("pool")), "keepOutput": "all", **job}
        argv = [f"{{{name}}}" for name in names]
        submitted = self.submit({**body, "run": {"process": {"argv": argv}}})
        return self._printed(submitted["id"], len(rows), timeout)

    def _params(self, params: list[dict[str, str]], pool: str | None) -> Json:
        if len(params) <= PARAMS_IN_BODY_MAX:
            return {"items": params}
        lines = "".join(json.dumps(one) + "\n" for one in params)
        return {"file": self.put(lines.encode(), pool), "format": "jsonl"}

    def _printed(self, job_id: str, count: int, timeout: float | None) -> Iterator[bytes]:
        ended = self.wait(job_id, timeout)
        if ended["status"]["state"] != "done":
            raise JobFailed(ended)
        for chunk in range(count):
            yield self.output(job_id, chunk)


class _Rest:
    """The pause between two looks at a job: short ones, ever longer; then until something happens.

    Where events are not to be had it stays with pauses. What counts is what is looked at, so an
    event that is missed costs a pause.
    """

    def __init__(self, client: Client, job_id: str, seconds_max: int) -> None:
        self._client = client
        self._job_id = job_id
        self._seconds_max = seconds_max
        self._start = time.monotonic()
        self._pause = POLL_FIRST_SECONDS
        # What happened before the first cursor is seen by the look that follows.
        self._after: str | None = "now"

    def take(self, left: float | None) -> bool:
        """``False`` when there is no time left for one."""
        lasts = time.monotonic() - self._start >= LIVE_AFTER_SECONDS
        if self._after is not None and lasts and (left is None or left >= 1):
            self._after = self._listen(self._after, left)
            return True
        if left is not None and self._pause > left:
            return False
        time.sleep(self._pause)
        self._pause = min(self._pause * 1.5, POLL_SECONDS_MAX)
        return True

    def _listen(self, after: str, left: float | None) -> str | None:
        longest = self._seconds_max if left is None else min(self._seconds_max, int(left))
        seconds = 0 if after == "now" else longest
        asked = time.monotonic()
        answer = self._client._news(self._job_id, after, seconds)
        is_short = time.monotonic() - asked < seconds * LIVE_ANSWER_SHARE
        # What does not wait would be asked without end.
        if answer is None or (not answer["items"] and is_short):
            return None
        cursor: str = answer["cursor"]
        return cursor


def _part_of(data: bytes | Path, number: int) -> bytes:
    with data.open("rb") if isinstance(data, Path) else io.BytesIO(data) as file:
        file.seek((number - 1) * PART_BYTES)
        return file.read(PART_BYTES)


def _sums_of(data: bytes | Path) -> tuple[str, int, list[str]]:
    whole, size, parts = hashlib.sha256(), 0, []
    while part := _part_of(data, len(parts) + 1):
        whole.update(part)
        size += len(part)
        parts.append(hashlib.sha256(part).hexdigest())
    return whole.hexdigest(), size, parts


def _send(answer: Mapping[str, Any], data: bytes) -> None:
    headers = {"content-type": "application/octet-stream", **answer["headers"]}
    status, _, _ = _repeated("PUT", answer["uploadUrl"], headers, data, True)
    if status >= 400:
        raise OSError(f"The store refuses a file or a part of it with {status}.")


def _check_link(base: Path, path: Path) -> None:
    target = os.path.normpath(path.parent.relative_to(base) / os.readlink(path))
    if os.path.isabs(target) or target.split(os.sep)[0] == "..":
        raise ValueError(f"{path} is a link that leads out of {base}.")


def _words_of(
    fn_argv: Callable[[Item], Sequence[str]] | Sequence[str], item: Item
) -> Sequence[str]:
    if callable(fn_argv):
        return [str(word) for word in fn_argv(item)]
    return [str(word).replace("{item}", str(item)) for word in fn_argv]


def _query_text(query: Mapping[str, Any]) -> str:
    given = {name: _worded(value) for name, value in query.items() if value is not None}
    return f"?{urllib.parse.urlencode(given, doseq=True)}" if given else ""


def _worded(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _problem_in(text: bytes) -> Json:
    try:
        problem = json.loads(text)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A token is for the address that it was given for."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)
_Answer = tuple[int, Message, bytes]


def _repeated(
    method: str, url: str, headers: Mapping[str, str], data: bytes | None, can_repeat: bool
) -> _Answer:
    """Again when the API says "later", or when the connection broke and nothing can be doubled."""
    for attempt in range(1, ATTEMPTS_MAX + 1):
        backoff = RETRY_FIRST_SECONDS * 2 ** (attempt - 1) * (0.5 + random.random())
        try:
            status, answered, text = _once(method, url, headers, data)
        except (OSError, http.client.HTTPException):
            if not can_repeat or attempt == ATTEMPTS_MAX:
                raise
            time.sleep(backoff)
            continue
        asked = answered.get("retry-after") or "0"
        pause = max(backoff, float(asked) if asked.isdecimal() else 0.0)
        if status not in (429, 503) or attempt == ATTEMPTS_MAX or pause > RETRY_AFTER_SECONDS_MAX:
            return status, answered, text
        time.sleep(pause)
    raise AssertionError("the last attempt answers or raises")


def _once(method: str, url: str, headers: Mapping[str, str], data: bytes | None) -> _Answer:
    request = urllib.request.Request(url, data=data, headers=dict(headers), method=method)
    try:
        with _opener.open(request, timeout=REQUEST_SECONDS_MAX) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.headers, refused.read()
