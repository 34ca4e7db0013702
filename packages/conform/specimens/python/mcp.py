"""
A server of the Model Context Protocol with tools alone, which keeps its specification, and its mutants.

    python3 mcp.py [--http] [--resources] [--mutant NAME]

It serves the revision 2025-11-25, over stdio or, with --http, over streamable HTTP at the address that it prints. With a
mutant it breaks its specification in one way: README.md lists them.
"""
import json
import os
import threading
import time

import lines
import streamable
from options import ABSENT, Failure, depth_of, error_of, is_mutant, is_number, options, responses_of, told
from tools import Problem, is_unchecked, misfit
from tools import tools as own_tools

VERSION = "2025-11-25"
PAGE_SIZE = 2
tools = [*own_tools, own_tools[0]] if is_mutant("tools-of-one-name") else own_tools


class Session:
    def __init__(self):
        self.is_initialized = False
        self.running = {}


class Request:
    """A request, and where it came from."""

    def __init__(self, id, method, params, session, send, cancelled):
        self.id, self.method, self.params = id, method, params
        self.session, self.send, self.cancelled = session, send, cancelled


def page_of(cursor):
    number = cursor[5:] if isinstance(cursor, str) and cursor.startswith("page-") else ""
    return int(number) if number.isascii() and number.isdigit() and len(number) < 9 and number[0] != "0" else None


def list_tools(request):
    if is_mutant("list-changed-undeclared"):
        request.send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    page = page_of(request.params["cursor"]) if "cursor" in request.params else 0
    if page is None or page * PAGE_SIZE >= len(tools):
        if not is_mutant("cursor-endless") and not is_mutant("bad-cursor-accepted"):
            raise Failure(-32602, "Unknown cursor")
        page = 0
    at = page * PAGE_SIZE
    following = f"page-{page + 1}" if at + PAGE_SIZE < len(tools) else None
    if following is None and is_mutant("cursor-loop"):
        following = "page-1"
    if following is None and is_mutant("cursor-endless"):
        following = f"page-{time.time_ns()}"
    result = {"tools": [shown(tool) for tool in tools[at : at + PAGE_SIZE]]}
    return result if following is None else {**result, "nextCursor": following}


def shown(tool):
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        **({} if tool.output_schema is None else {"outputSchema": tool.output_schema}),
        "annotations": {"readOnlyHint": tool.is_read_only, "openWorldHint": False},
    }


def refused(reason):
    return {"content": [{"type": "text", "text": told(reason)}], "isError": True}


def call_tool(request):
    params = request.params
    name, input = params.get("name"), params.get("arguments", {})
    tool = next((tool for tool in tools if tool.name == name), None)
    if tool is None:
        if is_mutant("unknown-tool-fatal"):
            os._exit(1)
        if is_mutant("unknown-tool-accepted"):
            return {"content": [{"type": "text", "text": "Done"}]}
        raise Failure(-32602, f"Unknown tool: {json.dumps(name)}")
    if not isinstance(input, dict):
        raise Failure(-32602, "arguments is no object")
    reason = None if is_unchecked else misfit(tool.input_schema, input, "arguments")
    if reason is not None:
        if is_mutant("misfit-fatal"):
            os._exit(1)
        return refused(reason)
    if is_mutant("asks-sampling"):
        messages = [{"role": "user", "content": {"type": "text", "text": "Hello"}}]
        asked = {"messages": messages, "maxTokens": 10}
        request.send({"jsonrpc": "2.0", "id": "sample", "method": "sampling/createMessage", "params": asked})
    meta = params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    if is_mutant("progress-token-foreign"):
        token = "somebody-else"

    def step(progress, total):
        if token is not None and not request.cancelled.is_set():
            at = total - progress if is_mutant("progress-backwards") else progress
            told = {"progressToken": token, "progress": at, "total": total}
            request.send({"jsonrpc": "2.0", "method": "notifications/progress", "params": told})

    try:
        return content_of(tool.run(input, step, request.cancelled), tool)
    except Problem as problem:
        return refused(str(problem))


def content_of(value, tool):
    result = {}
    if not is_mutant("content-missing"):
        result["content"] = [{"type": "text", "text": str(value.get("text") or json.dumps(value))}]
    if tool.output_schema is not None and not is_mutant("structured-missing"):
        result["structuredContent"] = value
    return result


RESOURCES = {"note://welcome": "Welcome", "note://about": "A specimen"}


def read_resource(uri):
    found = RESOURCES.get(uri) if isinstance(uri, str) else None
    if found is None and not is_mutant("unknown-resource-empty"):
        raise Failure(-32002, "Resource not found", {"uri": uri})
    return {"contents": [] if found is None else [{"uri": uri, "mimeType": "text/plain", "text": found}]}


def initialize(request):
    version = request.params.get("protocolVersion")
    if not isinstance(version, str):
        raise Failure(-32602, "protocolVersion is no string")
    request.session.is_initialized = True
    capabilities = {"tools": {}}
    if options.resources:
        capabilities["resources"] = {}
    if is_mutant("declared-unserved"):
        capabilities["prompts"] = {}
    return {
        "protocolVersion": version if is_mutant("unknown-version-echoed") else VERSION,
        "capabilities": capabilities,
        **({} if is_mutant("server-info-missing") else {"serverInfo": {"name": "parley-specimen", "version": "1.0.0"}}),
    }


def perform(request):
    method = request.method
    if method == "initialize":
        return initialize(request)
    if method == "ping":
        if is_mutant("ping-unanswered"):
            threading.Event().wait(60)
        return {}
    if not request.session.is_initialized and method.startswith(("tools/", "resources/")):
        raise Failure(-32602, "No initialize has come")
    if method == "tools/list":
        return list_tools(request)
    if method == "tools/call":
        return call_tool(request)
    if options.resources and method in ("resources/list", "resources/templates/list") and "cursor" in request.params:
        raise Failure(-32602, "Unknown cursor")
    if options.resources and method == "resources/list":
        return {"resources": [{"uri": uri, "name": uri, "mimeType": "text/plain"} for uri in RESOURCES]}
    if options.resources and method == "resources/templates/list":
        return {"resourceTemplates": []}
    if options.resources and method == "resources/read":
        return read_resource(request.params.get("uri"))
    if is_mutant("undeclared-served") and method == "prompts/list":
        return {"prompts": []}
    if is_mutant("unknown-method-accepted"):
        return {}
    raise Failure(-32603 if is_mutant("unknown-method-code") else -32601, f"Unknown method: {json.dumps(method)}")


def receive(source, session, send):
    """Reads a message and answers it. It ends when nothing more comes for the message."""

    def answer(id, outcome):
        for response in responses_of(id, outcome):
            send(response)

    try:
        message = json.loads(source, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        if is_mutant("parse-error-fatal") or (is_mutant("deep-json-fatal") and isinstance(error, RecursionError)):
            os._exit(1)
        if not is_mutant("parse-error-silent"):
            answer(ABSENT, error_of(-32700, "Parse error"))
        return
    if is_mutant("deep-json-fatal"):
        fall_at_depth(message)
    if is_mutant("large-message-hangs") and len(source) > 50_000:
        threading.Event().wait(60)
        return
    if not isinstance(message, dict):
        return answer(ABSENT, error_of(-32600, "The message is no object"))
    id, method, params = message.get("id", ABSENT), message.get("method"), message.get("params", {})
    if is_mutant("id-zero-ignored") and id == 0:
        id = ABSENT
    if "method" not in message and ("result" in message or "error" in message):
        return
    has_right_id = id is ABSENT or isinstance(id, str) or is_number(id)
    if message.get("jsonrpc") != "2.0" or not isinstance(method, str) or not has_right_id or not isinstance(params, dict):
        return answer(id if has_right_id else ABSENT, error_of(-32600, "The message is no request of JSON-RPC 2.0"))
    if id is ABSENT:
        if method == "notifications/cancelled":
            if is_mutant("cancellation-fatal"):
                os._exit(1)
            running = session.running.get(json.dumps(params.get("requestId")))
            if running is not None:
                running.set()
        if is_mutant("notification-answered"):
            answer(ABSENT, {"result": {}})
        return
    cancelled = threading.Event()
    session.running[json.dumps(id)] = cancelled
    try:
        outcome = {"result": perform(Request(id, method, params, session, send, cancelled))}
    except Failure as failure:
        outcome = error_of(failure.code, failure.message, failure.data)
    except Exception:
        outcome = error_of(-32603, "Internal error")
    session.running.pop(json.dumps(id), None)
    if cancelled.is_set() and not is_mutant("cancelled-answered"):
        return
    answer(id, outcome)
    meta = params.get("_meta")
    if is_mutant("progress-after-result") and isinstance(meta, dict) and "progressToken" in meta:
        late = {"progressToken": meta["progressToken"], "progress": 1000}
        send({"jsonrpc": "2.0", "method": "notifications/progress", "params": late})


def refuse_constant(name):
    """NaN and Infinity are no JSON."""
    raise ValueError(name)


def fall_at_depth(message):
    try:
        depth_of(message)
    except RecursionError:
        os._exit(1)


if options.http:
    streamable.listen(receive, Session)
else:
    own = Session()
    lines.serve(
        lambda line: receive(line, own, lines.write),
        responses_of(ABSENT, error_of(-32600, "The line is too long"))[0],
    )
