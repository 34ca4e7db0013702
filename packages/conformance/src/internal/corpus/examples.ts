/** The examples of the specification, section 7, in their order and with their texts, each on one line. */
import { cases, sections, type WireCase } from "./WireCase.ts"

export const examples: ReadonlyArray<WireCase> = cases(sections.examples, [
  [
    "call with positional parameters",
    `{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}`,
    `{"jsonrpc": "2.0", "result": 19, "id": 1}`
  ],
  [
    "call with positional parameters, the other way round",
    `{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}`,
    `{"jsonrpc": "2.0", "result": -19, "id": 2}`
  ],
  [
    "call with named parameters",
    `{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}`,
    `{"jsonrpc": "2.0", "result": 19, "id": 3}`
  ],
  [
    "call with named parameters, the other way round",
    `{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}`,
    `{"jsonrpc": "2.0", "result": 19, "id": 4}`
  ],
  ["a notification", `{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}`, undefined],
  ["a notification of a non-existent method", `{"jsonrpc": "2.0", "method": "foobar"}`, undefined],
  [
    "call of a non-existent method",
    `{"jsonrpc": "2.0", "method": "foobar", "id": "1"}`,
    `{"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "1"}`
  ],
  [
    "call with invalid JSON",
    `{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]`,
    `{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}`
  ],
  [
    "call with an invalid Request object",
    `{"jsonrpc": "2.0", "method": 1, "params": "bar"}`,
    `{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}`
  ],
  [
    "batch, invalid JSON",
    `[ {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method" ]`,
    `{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}`
  ],
  [
    "call with an empty array",
    `[]`,
    `{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}`
  ],
  [
    "call with an invalid batch (but not empty)",
    `[1]`,
    `[ {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null} ]`
  ],
  [
    "call with an invalid batch",
    `[1,2,3]`,
    `[ {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}, ` +
    `{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}, ` +
    `{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null} ]`
  ],
  [
    "call with a batch",
    `[ {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, ` +
    `{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}, ` +
    `{"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"}, ` +
    `{"foo": "boo"}, ` +
    `{"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"}, ` +
    `{"jsonrpc": "2.0", "method": "get_data", "id": "9"} ]`,
    `[ {"jsonrpc": "2.0", "result": 7, "id": "1"}, ` +
    `{"jsonrpc": "2.0", "result": 19, "id": "2"}, ` +
    `{"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": null}, ` +
    `{"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "5"}, ` +
    `{"jsonrpc": "2.0", "result": ["hello", 5], "id": "9"} ]`
  ],
  [
    "call with a batch, all notifications",
    `[ {"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]}, ` +
    `{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]} ]`,
    undefined
  ]
])
