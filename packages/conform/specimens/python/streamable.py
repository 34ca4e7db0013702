"""Streamable HTTP with sessions."""
import json
import re
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from options import error_of, is_mutant

VERSION = "2025-11-25"
MOST = 8 * 1024 * 1024
LOCAL = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?", re.IGNORECASE)
sessions = {}
blocking = threading.Lock()


def new_id():
    if is_mutant("session-predictable"):
        return str(len(sessions) + 1)
    return f"session {uuid.uuid4()}" if is_mutant("session-with-spaces") else str(uuid.uuid4())


class Writer:
    """One event stream as soon as something comes ahead of the response; else the response alone, as JSON."""

    def __init__(self, handler):
        self.handler, self.waiting, self.is_streaming = handler, [], False

    def send(self, message):
        if not self.is_streaming and "method" not in message:
            self.waiting.append(message)
            return
        waiting, self.waiting = self.waiting, []
        for one in [*waiting, message]:
            self.stream(one)

    def stream(self, message):
        if not self.is_streaming:
            self.is_streaming = True
            kind = "text/plain" if is_mutant("content-type-wrong") else "text/event-stream"
            self.handler.head(200, {"content-type": kind, "connection": "close", **self.handler.more})
        self.handler.wfile.write(f"event: message\ndata: {json.dumps(message)}\n\n".encode())
        self.handler.wfile.flush()

    def end(self, is_request):
        if len(self.waiting) > 1:
            for message in self.waiting:
                self.stream(message)
        if self.is_streaming:
            return
        if self.waiting:
            return self.handler.json(status_of(self.waiting[0]), self.waiting[0])
        if is_request:
            return self.handler.head(200, {"content-type": "text/event-stream", "connection": "close"})
        self.handler.empty(202)


def status_of(response):
    error = response.get("error")
    return 400 if isinstance(error, dict) and error.get("code") in (-32700, -32600) else 200


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # The head and the body go out together, and at once.
    wbufsize = -1
    disable_nagle_algorithm = True
    receive = None
    make_session = None

    def setup(self):
        super().setup()
        self.more = {}

    def log_message(self, *_):
        pass

    def head(self, status, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if headers.get("connection") == "close":
            self.close_connection = True

    def empty(self, status, headers=None):
        self.head(status, {**({} if status == 204 else {"content-length": "0"}), **(headers or {})})

    def json(self, status, value):
        body = json.dumps(value).encode()
        kind = "text/plain" if is_mutant("content-type-wrong") else "application/json"
        self.head(status, {"content-type": kind, "content-length": str(len(body)), **self.more})
        self.wfile.write(body)

    def refuse(self, status, message, code=-32600):
        # The body was not read: the connection cannot be used again.
        self.more = {"connection": "close"}
        self.json(status, {"jsonrpc": "2.0", **error_of(code, message)})

    def is_allowed(self):
        if is_mutant("origin-accepted"):
            return True
        origin = self.headers.get("origin")
        is_own = origin is None or LOCAL.fullmatch(re.sub(r"^https?://", "", origin))
        return is_own and LOCAL.fullmatch(self.headers.get("host", ""))

    def session(self):
        """The session of the request, or the status of the answer where there is none."""
        id = self.headers.get("mcp-session-id")
        if id in sessions:
            return sessions[id]
        if is_mutant("session-missing-accepted" if id is None else "session-unknown-accepted"):
            made = self.make_session()
            made.is_initialized = True
            return made
        return 400 if id is None else 404

    def do_POST(self):
        self.more = {}
        if self.path != "/mcp":
            return self.refuse(404, "There is nothing here")
        if not self.is_allowed():
            return self.refuse(403, "The origin or the host is foreign")
        if not re.match(r"application/json\b", self.headers.get("content-type", ""), re.IGNORECASE):
            return self.refuse(415, "The body is no application/json")
        if not re.search(r"\*/\*|application/(json|\*)", self.headers.get("accept", "*/*"), re.IGNORECASE):
            return self.refuse(406, "JSON is not accepted")
        source = self.body()
        if source is None:
            return self.refuse(413, "The body is too large")
        message = parsed(source)
        method = message.get("method") if isinstance(message, dict) else None
        is_request = method is not None and "id" in message
        if method == "initialize":
            session = self.make_session()
        else:
            version = self.headers.get("mcp-protocol-version", VERSION)
            if version != VERSION and not is_mutant("version-header-ignored"):
                return self.refuse(400, "Unsupported protocol version")
            session = self.session()
        if isinstance(session, int):
            return self.refuse(session, "There is no such session")
        writer = Writer(self)
        if is_mutant("call-blocks"):
            with blocking:
                self.receive(source, session, writer.send)
        else:
            self.receive(source, session, writer.send)
        if method == "initialize" and session.is_initialized:
            id = new_id()
            sessions[id] = session
            self.more["mcp-session-id"] = id
        writer.end(is_request)

    def body(self):
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            chunks, size = [], 0
            while (length := int(self.rfile.readline().split(b";")[0], 16)) > 0:
                size += length
                if size > MOST:
                    return None
                chunks.append(self.rfile.read(length))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(chunks).decode("utf8", "replace")
        length = int(self.headers.get("content-length", "0"))
        if length > MOST:
            discard(self.rfile, length)
            return None
        return self.rfile.read(length).decode("utf8", "replace")

    def do_DELETE(self):
        if not self.is_allowed():
            return self.refuse(403, "The origin or the host is foreign")
        session = self.session()
        if isinstance(session, int):
            return self.empty(session)
        if not is_mutant("session-terminated-answers"):
            sessions.pop(self.headers.get("mcp-session-id"), None)
        self.empty(204)

    def do_GET(self):
        if not self.is_allowed():
            return self.refuse(403, "The origin or the host is foreign")
        if is_mutant("get-answered"):
            self.head(200, {"content-type": "text/plain", "content-length": "15"})
            self.wfile.write(b"The server runs")
        else:
            self.empty(405, {"allow": "POST, DELETE"})

    def do_PUT(self):
        self.empty(405, {"allow": "POST, DELETE", "connection": "close"})

    do_PATCH = do_OPTIONS = do_HEAD = do_PUT


def discard(file, length):
    """A client that still writes does not read the answer."""
    while length > 0 and (chunk := file.read(min(length, 65536))):
        length -= len(chunk)


def parsed(source):
    try:
        return json.loads(source)
    except (ValueError, RecursionError):
        return None


def listen(receive, make_session):
    """Listens on a free port, and prints the address."""
    Handler.receive, Handler.make_session = staticmethod(receive), make_session
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_address[1]}/mcp", flush=True)
    server.serve_forever()
