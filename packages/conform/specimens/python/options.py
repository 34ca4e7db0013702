"""What a specimen was started with, and what all of its parts share."""
import argparse
import math
import traceback

parser = argparse.ArgumentParser()
parser.add_argument("--http", action="store_true", help="serves HTTP, and prints the address")
parser.add_argument("--resources", action="store_true", help="has resources beside the tools")
parser.add_argument("--mutant", default="", help="breaks the specification in one way")
options = parser.parse_args()


def is_mutant(name):
    return options.mutant == name


class Failure(Exception):
    """An error that the client is told."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


def told(message):
    """A text for the client, and the mutants that tell more than they should."""
    if is_mutant("stack-in-error"):
        try:
            raise ValueError(message)
        except ValueError:
            return traceback.format_exc()
    if is_mutant("path-in-error"):
        return f"{message} (in /home/deploy/service/handlers.py)"
    if is_mutant("secret-in-error"):
        return f"{message} (DATABASE_URL=postgres://admin:hunter2-prod@db.internal/notes)"
    return message


def error_of(code, message, data=None):
    error = {"code": code}
    if is_mutant("error-code-string"):
        error["code"] = str(code)
    if is_mutant("error-code-fraction"):
        error["code"] = code + 0.5
    if not is_mutant("error-message-missing"):
        error["message"] = told(message)
    if data is not None:
        error["data"] = data
    return {"error": error}


ABSENT = object()


def responses_of(id, outcome):
    """The texts that answer a request, and the mutants that spoil each of them."""
    response = {"jsonrpc": "2.0"}
    if id is not ABSENT:
        response["id"] = id
    response.update(outcome)
    if is_mutant("id-as-string") and is_number(id):
        response["id"] = str(id)
    if is_mutant("id-missing"):
        response.pop("id", None)
    if is_mutant("jsonrpc-missing"):
        del response["jsonrpc"]
    if is_mutant("result-and-error"):
        response.setdefault("result", {})
        response.setdefault("error", {"code": 0, "message": "No error"})
    return [response, response] if is_mutant("answered-twice") else [response]


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def depth_of(value):
    """How deep a value is: the recursion of the mutant overflows the stack."""
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if members is None else 1 + max([depth_of(member) for member in members], default=0)
