"""A music server in the manner of Mopidy: events beside the messages of JSON-RPC, and, as `events.py bare`, no version.

It prints its port, and answers one connection after the other, line by line.
"""
import json
import socket
import sys

version = {} if sys.argv[1:] == ["bare"] else {"jsonrpc": "2.0"}
state = "stopped"


def answer(request):
    global state
    if version == {} and "jsonrpc" in request:
        return [{"id": request["id"], "error": {"code": -32600, "message": "unknown field: jsonrpc"}}]
    if request["method"] == "core.playback.play":
        event = {"event": "playback_state_changed", "old_state": state, "new_state": "playing"}
        state = "playing"
        return [event, {**version, "id": request["id"], "result": None}, {"event": "volume_changed", "volume": 7}]
    if request["method"] == "core.playback.get_state":
        return [{**version, "id": request["id"], "result": state}]
    return [{**version, "id": request["id"], "error": {"code": -32601, "message": "Method not found"}}]


server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True:
    connection, _ = server.accept()
    with connection, connection.makefile("rw", encoding="utf-8", newline="\n") as stream:
        for line in stream:
            for message in answer(json.loads(line)):
                stream.write(json.dumps(message) + "\n")
            stream.flush()
