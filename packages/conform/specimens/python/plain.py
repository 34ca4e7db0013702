"""
A server of plain JSON-RPC 2.0 which keeps its specification and describes itself with rpc.discover, and its mutants.

    python3 plain.py [--http] [--mutant NAME]

It serves stdio, one message in one line, or with --http the address that it prints. With a mutant it breaks its
specification in one way: README.md lists them.
"""
import json
import os
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import lines
from options import ABSENT, Failure, depth_of, error_of, is_mutant, is_number, options, responses_of
from tools import Problem, is_unchecked, misfit, tools

MOST = 8 * 1024 * 1024


def properties_of(tool):
    return tool.input_schema.get("properties", {})


DOCUMENT = {
    "openrpc": "1.3.2",
    "info": {"title": "Parley specimen", "version": "1.0.0"},
    "methods": [
        {
            "name": tool.name,
            "summary": tool.description,
            "paramStructure": "by-name" if tool.name == "add" else "either",
            "params": [
                {"name": name, "required": name in tool.input_schema.get("required", []), "schema": schema}
                for name, schema in properties_of(tool).items()
            ],
            "result": {"name": "result", "schema": tool.output_schema or {"type": "object"}},
            "x-read-only": tool.is_read_only,
        }
        for tool in tools
    ],
}


def perform(method, params):
    if method == "rpc.discover":
        return DOCUMENT
    tool = next((tool for tool in tools if tool.name == method), None)
    if tool is None:
        if is_mutant("unknown-method-accepted"):
            return None
        raise Failure(-32603 if is_mutant("unknown-method-code") else -32601, f"Unknown method: {json.dumps(method)}")
    names = list(properties_of(tool))
    if isinstance(params, list):
        if len(params) > len(names):
            raise Failure(-32602, "There are too many params")
        params = dict(zip(names, params))
    elif is_mutant("named-params-ignored"):
        params = {}
    reason = None if is_unchecked else misfit(tool.input_schema, params, "params")
    if reason is not None:
        if is_mutant("misfit-fatal"):
            os._exit(1)
        raise Failure(-32603 if is_mutant("misfit-code") else -32602, reason)
    try:
        return tool.run(params, lambda progress, total: None, threading.Event())
    except Problem as problem:
        raise Failure(404, str(problem)) from None


def answers_of(message):
    """The responses to one message of a batch, or to one that stands alone."""
    if not isinstance(message, dict):
        return responses_of(None, error_of(-32600, "The message is no object"))
    id, method, params = message.get("id", ABSENT), message.get("method"), message.get("params", {})
    if is_mutant("id-zero-ignored") and id == 0:
        id = ABSENT
    if "method" not in message and ("result" in message or "error" in message):
        return []
    is_right = id is ABSENT or id is None or isinstance(id, str) or is_number(id)
    if (
        message.get("jsonrpc") != "2.0"
        or not isinstance(method, str)
        or not is_right
        or not isinstance(params, (dict, list))
    ):
        reason = error_of(-32600, "The message is no request of JSON-RPC 2.0")
        return responses_of(id if is_right and id is not ABSENT else None, reason)
    try:
        outcome = {"result": perform(method, params)}
    except Failure as failure:
        outcome = error_of(failure.code, failure.message)
    except Exception:
        outcome = error_of(-32603, "Internal error")
    if id is ABSENT:
        return responses_of(None, outcome) if is_mutant("notification-answered") else []
    return responses_of(id, outcome)


def refuse_constant(name):
    """NaN and Infinity are no JSON."""
    raise ValueError(name)


def receive(source, send):
    """Reads a text, and sends what answers it: nothing, one value, or with some mutants several."""

    def send_all(values):
        for value in values:
            send(value)

    try:
        message = json.loads(source, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        if is_mutant("parse-error-fatal") or (is_mutant("deep-json-fatal") and isinstance(error, RecursionError)):
            os._exit(1)
        if not is_mutant("parse-error-silent"):
            send_all(responses_of(None, error_of(-32700, "Parse error")))
        return
    if is_mutant("deep-json-fatal"):
        try:
            depth_of(message)
        except RecursionError:
            os._exit(1)
    if is_mutant("large-message-hangs") and len(source) > 50_000:
        threading.Event().wait(60)
        return
    if not isinstance(message, list):
        return send_all(answers_of(message))
    if not message:
        if not is_mutant("batch-empty-silent"):
            send_all(responses_of(None, error_of(-32600, "The batch is empty")))
        return
    if is_mutant("batch-refused"):
        return send_all(responses_of(None, error_of(-32600, "The message is no object")))
    answers = [answer for one in message for answer in answers_of(one)]
    if is_mutant("batch-one-by-one"):
        send_all(answers)
    elif answers or is_mutant("batch-of-notifications-answered"):
        send(answers)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # The head and the body go out together, and at once.
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def end(self, status, body=b"", headers=None):
        self.send_response(status)
        if body:
            self.send_header("content-type", "text/plain" if is_mutant("content-type-wrong") else "application/json")
        if status != 204:
            self.send_header("content-length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        if not re.match(r"application/json\b", self.headers.get("content-type", ""), re.IGNORECASE):
            self.close_connection = True
            return self.end(415, headers={"connection": "close"})
        length = int(self.headers.get("content-length", "0"))
        if length > MOST:
            # A client that still writes does not read the answer.
            while length > 0 and (chunk := self.rfile.read(min(length, 65536))):
                length -= len(chunk)
            return self.end(413)
        texts = []
        receive(self.rfile.read(length).decode("utf8", "replace"), lambda value: texts.append(json.dumps(value)))
        self.end(200, "\n".join(texts).encode()) if texts else self.end(204)

    def do_GET(self):
        self.end(405, headers={"allow": "POST"})

    do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_GET


if options.http:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_address[1]}/", flush=True)
    server.serve_forever()
else:
    lines.serve(
        lambda line: receive(line, lines.write),
        responses_of(None, error_of(-32600, "The line is too long"))[0],
    )
