"""Stdio: one message in one line."""
import codecs
import json
import os
import sys
import threading

from options import is_mutant

MOST = 8 * 1024 * 1024
lock = threading.Lock()


def text_of(message):
    # A lone surrogate has no UTF-8: the text stays within ASCII.
    return json.dumps(message, indent=2 if is_mutant("message-in-lines") else None)


def write(message):
    """Writes a message as one line."""
    with lock:
        sys.stdout.buffer.write(f"{text_of(message)}\n".encode())
        sys.stdout.buffer.flush()


def serve(receive, too_long):
    """Reads lines until the input ends. `too_long` is written for a line of more than 8 MiB."""
    if is_mutant("stdout-noise"):
        print("Specimen is listening on stdio", flush=True)
    decoder = codecs.getincrementaldecoder("utf8")("replace")
    rest, skipping = [], False

    def start(line):
        if line.strip() == "":
            return
        if is_mutant("call-blocks"):
            receive(line)
        else:
            # Most messages are answered at once: these are answered in their order.
            thread = threading.Thread(target=receive, args=(line,))
            thread.start()
            thread.join(0.02)

    while chunk := os.read(0, 65536):
        text = chunk.decode("utf8", "replace") if is_mutant("characters-cut") else decoder.decode(chunk)
        if is_mutant("chunk-as-message"):
            start(text)
            continue
        first, *others = text.split("\n")
        rest.append(first)
        if is_mutant("one-message-of-chunk"):
            others = others[:1]
        for following in others:
            if not skipping:
                start("".join(rest))
            rest, skipping = [following], False
        if sum(map(len, rest)) > MOST:
            if not skipping:
                write(too_long)
            rest, skipping = [], True
    if is_mutant("end-ignored"):
        threading.Event().wait()
