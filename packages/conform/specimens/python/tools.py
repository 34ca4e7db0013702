"""What both servers can do: add, count down, and keep notes."""
import time
import uuid

from options import is_mutant


def members(properties, required=None):
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
    }


ADDEND = {"type": "integer", "minimum": -1000000, "maximum": 1000000}
TEXT = {"type": "string", "minLength": 1, "maxLength": 200}

notes = {}


class Problem(Exception):
    """Why a tool could not do what it was asked for."""


def note_of(id):
    if id not in notes:
        raise Problem("There is no such note")
    return notes[id]


def add(input, step, cancelled):
    total = input.get("a", 0) + input.get("b", 0) if is_sum(input) else 0
    return {"sum": str(total) if is_mutant("result-unfit") else total}


def is_sum(input):
    return all(isinstance(input.get(name, 0), (int, float)) for name in "ab")


def count_down(input, step, cancelled):
    total = int(input.get("from", 5)) if not isinstance(input.get("from"), (list, dict, str)) else 5
    for progress in range(1, min(total, 5) + 1):
        if cancelled.is_set():
            break
        time.sleep(0.1 if is_mutant("call-blocks") else 0.08)
        step(progress, total)
    return {"text": "Lift-off"}


def create_note(input, step, cancelled):
    # What a stranger may create has a bound.
    if len(notes) > 10_000:
        raise Problem("There are too many notes")
    id = str(uuid.uuid4())
    notes[id] = input.get("text")
    return {"id": id}


def read_note(input, step, cancelled):
    return {"id": input.get("id"), "text": note_of(str(input.get("id")))}


def delete_note(input, step, cancelled):
    note_of(str(input.get("id")))
    if not is_mutant("deletion-forgotten"):
        del notes[input["id"]]
    return {"id": input.get("id")}


class Tool:
    def __init__(self, name, description, input_schema, output_schema, is_read_only, run):
        self.name, self.description, self.run = name, description, run
        self.input_schema, self.output_schema, self.is_read_only = input_schema, output_schema, is_read_only


add_schema = members({"a": ADDEND, "b": ADDEND})
if is_mutant("input-schema-invalid"):
    add_schema = {"type": "object", "properties": {"a": {"type": "integr"}, "b": {"type": "integr"}}}
if is_mutant("input-schema-array"):
    add_schema = {"type": "array"}

tools = [
    Tool("add", "Adds two integers.", add_schema, members({"sum": {"type": "integer"}}), True, add),
    Tool(
        "count_down",
        "Counts down, and tells its progress.",
        members({"from": {"type": "integer", "minimum": 1, "maximum": 5, "default": 5}}, []),
        None,
        True,
        count_down,
    ),
    Tool("create_note", "Keeps a note, and gives its id.", members({"text": TEXT}), members({"id": TEXT}), False, create_note),
    Tool("read_note", "Reads a note.", members({"id": TEXT}), members({"id": TEXT, "text": TEXT}), True, read_note),
    Tool("delete_note", "Deletes a note.", members({"id": TEXT}), members({"id": TEXT}), False, delete_note),
]

# Whether a mutant lets any input pass.
is_unchecked = is_mutant("schema-ignored") or is_mutant("input-schema-invalid") or is_mutant("input-schema-array")


def misfit(schema, value, at):
    """Says why a value does not fit, for the keywords that the tools use."""
    if schema["type"] == "integer":
        # The values true and false are integers of Python, and 1.0 is an integer of JSON Schema.
        if isinstance(value, bool) or not (isinstance(value, int) or (isinstance(value, float) and value.is_integer())):
            return f"{at} is no integer"
        if not schema["minimum"] <= value <= schema["maximum"]:
            return f"{at} is not from {schema['minimum']} to {schema['maximum']}"
        return None
    if schema["type"] == "string":
        if not isinstance(value, str):
            return f"{at} is no string"
        if not schema["minLength"] <= len(value) <= schema["maxLength"]:
            return f"{at} has not from {schema['minLength']} to {schema['maxLength']} characters"
        return None
    if not isinstance(value, dict):
        return f"{at} is no object"
    for name in schema["required"]:
        if name not in value:
            return f"{at} has no {name}"
    for name, member in value.items():
        if name not in schema["properties"]:
            return f"{at} has a member that is not known"
        reason = misfit(schema["properties"][name], member, f"{at}.{name}")
        if reason is not None:
            return reason
    return None
