/** Ids: which there are, that they come back as they were sent, and what is none. */
import {
  applicationError,
  cases,
  failure,
  invalidRequest,
  methodNotFound,
  request,
  sections,
  success,
  type WireCase
} from "./WireCase.ts"

const kept: ReadonlyArray<string> = [
  "0",
  "1",
  "-1",
  "1.5",
  "-1.5",
  "0.1",
  "2147483648",
  "4294967296",
  "9007199254740991",
  "-9007199254740991",
  "9007199254740992",
  "9007199254740993",
  "-9007199254740993",
  "9223372036854775807",
  "-9223372036854775808",
  "18446744073709551615",
  "1234567890123456789012345678901234567890",
  "3.141592653589793238462643383279",
  "1.50",
  "0.10",
  "1e21",
  "1E21",
  "1e+21",
  "1e400",
  "-1e400",
  "5e-324",
  "1.0",
  "-0",
  "1e2",
  "15e-1",
  "1.000000000000000000000000000001",
  "\"\"",
  "\"0\"",
  "\"1\"",
  "\"a\"",
  "\"\\u0061\"",
  "\"\\/\"",
  "\" \"",
  "\"null\"",
  "\"true\"",
  "\"9007199254740993\"",
  "\"é😀\"",
  "\"\\u0000\"",
  "\"\\\"\\\\\"",
  "\"\\ud800\"",
  "\"__proto__\"",
  "\"constructor\"",
  "\"toString\"",
  `"${"x".repeat(1_000)}"`,
  "null"
]

/** A name of bounded length. */
const short = (id: string): string => id.length > 45 ? `${id.slice(0, 20)}…` : id

const comesBack = kept.flatMap((id) =>
  cases(sections.responseObject, [
    [`id ${short(id)} comes back with a result`, request("echo", id, "[1]"), success(id, "[1]")],
    [`id ${short(id)} comes back with an error`, request("foobar", id), failure(id, methodNotFound)]
  ])
)

const unreadable = ["true", "false", "{}", "[]", "[1]", `{"id":1}`, `{"rawJSON":"1"}`, "[9007199254740993]"].flatMap((
  id
) =>
  cases(sections.requestObject, [
    [`${id} is no id`, request("echo", id), failure("null", invalidRequest)],
    [`${id} is no id of an unknown method`, request("foobar", id), failure("null", invalidRequest)]
  ])
)

const ofInvalid = ["0", "\"\"", "\"a\"", "1.5", "-1", "9007199254740993", "null"].flatMap((id) =>
  cases(sections.errorObject, [
    [`id ${id} of a request without a version`, `{"method":"echo","id":${id}}`, failure(id, invalidRequest)],
    [`id ${id} of a request without a method`, `{"id":${id},"jsonrpc":"2.0"}`, failure(id, invalidRequest)],
    [`id ${id} of a request with a bad method`, `{"jsonrpc":"2.0","method":7,"id":${id}}`, failure(id, invalidRequest)],
    [`id ${id} of a request with bad params`, request("echo", id, "1"), failure(id, invalidRequest)],
    [`id ${id} of a request that fails`, request("fail", id), failure(id, applicationError)]
  ])
)

const members = cases(sections.requestObject, [
  ["id null is answered", request("echo", "null", "[1]"), success("null", "[1]")],
  [
    "an escaped key is the id",
    `{"jsonrpc":"2.0","method":"echo","\\u0069d":9007199254740993}`,
    success("9007199254740993", "null")
  ],
  [
    "the last of two long ids counts",
    `{"id":9007199254740995,"jsonrpc":"2.0","method":"echo","id":9007199254740993}`,
    success("9007199254740993", "null")
  ],
  [
    "the id of the payload is not the id",
    request("echo", "9007199254740993", `{"id":9007199254740995}`),
    success("9007199254740993", `{"id":9007199254740995}`)
  ],
  ["Id is no id", `{"jsonrpc":"2.0","method":"echo","Id":1}`, undefined],
  ["ID is no id", `{"jsonrpc":"2.0","method":"echo","ID":1}`, undefined],
  ["an id within params is no id", `{"jsonrpc":"2.0","method":"echo","params":{"id":1}}`, undefined]
])

export const ids: ReadonlyArray<WireCase> = [...comesBack, ...unreadable, ...ofInvalid, ...members]
