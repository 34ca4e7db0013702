"""Reads JSON texts, one a line, as Python's json does, and says what it sees of the envelope of each message."""
import json
import sys


def of(message):
    is_call = "method" in message and "result" not in message and "error" not in message
    kind = ("request" if "id" in message else "notification") if is_call else "response"
    return {"kind": kind, "id": message.get("id"), "method": [ord(letter) for letter in message.get("method", "")]}


for line in sys.stdin.buffer:
    value = json.loads(line)
    print(json.dumps([of(message) for message in (value if isinstance(value, list) else [value])]))
