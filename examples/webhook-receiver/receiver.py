"""Writes down which jobs ended: receiver.py PORT SECRET-FILE EVENTS-FILE."""

import hashlib
import hmac
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

PORT, SECRET, EVENTS = int(sys.argv[1]), Path(sys.argv[2]).read_bytes().strip(), Path(sys.argv[3])
BODY_BYTES_MAX = 64 * 1024
AGE_SECONDS_MAX = 300


def is_signed(header: str, body: bytes) -> bool:
    """Over the bytes as they came; an old signature may be somebody else's copy."""
    parts = dict(part.split("=", 1) for part in header.split(",") if "=" in part)
    seconds = parts.get("t", "")
    if not seconds.isdigit() or abs(time.time() - int(seconds)) > AGE_SECONDS_MAX:
        return False
    expected = hmac.new(SECRET, f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, parts.get("v1", ""))


class Receiver(BaseHTTPRequestHandler):
    seen: set[str] = set()

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        body = self.rfile.read(min(length, BODY_BYTES_MAX))
        if not is_signed(self.headers.get("Edgewise-Signature", ""), body):
            self.answer(401)
            return
        event = json.loads(body)
        # One whose receipt was lost comes again, with the id that it had.
        if event["id"] not in self.seen:
            self.seen.add(event["id"])
            with EVENTS.open("a") as file:
                file.write(f"{event['kind']} {event['name']} {event['detail']}\n")
        self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing but events is written."""


server = HTTPServer(("127.0.0.1", PORT), Receiver)
EVENTS.touch()
server.serve_forever()
