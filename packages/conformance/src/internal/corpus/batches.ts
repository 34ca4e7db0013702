/** Batches: one text, many messages, one reply. */
import {
  applicationError,
  cases,
  failure,
  internalError,
  invalidParams,
  invalidRequest,
  methodNotFound,
  request,
  sections,
  success,
  type WireCase
} from "./WireCase.ts"

const refused = failure("null", invalidRequest)
const batch = (...members: ReadonlyArray<string>): string => `[${members.join(",")}]`
const many = (size: number, member: (id: number) => string): string =>
  batch(...Array.from({ length: size }, (_, index) => member(index)))

export const batches: ReadonlyArray<WireCase> = cases(sections.batch, [
  ["one request", batch(request("echo", "1")), batch(success("1", "null"))],
  ["one notification", batch(request("update", undefined)), undefined],
  ["one notification of an unknown method", batch(request("foobar", undefined)), undefined],
  ["one notification that crashes", batch(request("crash", undefined)), undefined],
  ["spaces in an empty batch", "[ ]", refused],
  [
    "spaces around a batch",
    ` [ ${request("echo", "1")} , ${request("echo", "2")} ] `,
    batch(success("1", "null"), success("2", "null"))
  ],
  [
    "line breaks in a batch",
    `[\n${request("echo", "1")},\r\n${request("echo", "2")}\n]\n`,
    batch(success("1", "null"), success("2", "null"))
  ],
  ["an empty batch in a batch", "[[]]", batch(refused)],
  ["a batch in a batch", batch(batch(request("echo", "1"))), batch(refused)],
  [
    "a batch beside a request",
    batch(request("echo", "1"), batch(request("echo", "2"))),
    batch(success("1", "null"), refused)
  ],
  ["null", "[null]", batch(refused)],
  ["an empty object", "[{}]", batch(refused)],
  ["scalars of every kind", `[1,"a",true,null,1.5]`, batch(refused, refused, refused, refused, refused)],
  [
    "an invalid member between requests",
    batch(request("echo", "1"), "1", request("echo", "2")),
    batch(success("1", "null"), refused, success("2", "null"))
  ],
  [
    "an invalid member with an id",
    batch(`{"jsonrpc":"2.0","method":1,"id":7}`, request("echo", "1")),
    batch(failure("7", invalidRequest), success("1", "null"))
  ],
  ["a member without a version", batch(`{"method":"echo","id":7}`), batch(failure("7", invalidRequest))],
  [
    "a member whose id is an array",
    batch(request("echo", "[1]"), request("echo", "1")),
    batch(refused, success("1", "null"))
  ],
  [
    "an invalid member among notifications",
    batch(request("update", undefined), "{}", request("update", undefined)),
    batch(refused)
  ],
  [
    "replies in the order of the requests",
    many(9, (id) => request("echo", String(9 - id), `[${id}]`)),
    many(9, (id) => success(String(9 - id), `[${id}]`))
  ],
  [
    "notifications are left out of the reply",
    batch(request("update", undefined), request("sum", "1", "[1,2]"), request("update", undefined)),
    batch(success("1", "3"))
  ],
  [
    "an id twice",
    batch(request("echo", "1", "[1]"), request("echo", "1", "[2]")),
    batch(success("1", "[1]"), success("1", "[2]"))
  ],
  [
    "ids that differ in their type",
    batch(request("echo", "1"), request("echo", "\"1\""), request("echo", "null")),
    batch(success("1", "null"), success("\"1\"", "null"), success("null", "null"))
  ],
  [
    "ids beyond 2^53, each in its place",
    batch(
      request("echo", "9007199254740993"),
      "3",
      request("echo", "9007199254740995"),
      request("echo", "1.50"),
      request("echo", "2")
    ),
    batch(
      success("9007199254740993", "null"),
      refused,
      success("9007199254740995", "null"),
      success("1.50", "null"),
      success("2", "null")
    )
  ],
  [
    "errors of every kind",
    batch(
      request("foobar", "1"),
      request("subtract", "2", "[]"),
      request("crash", "3"),
      request("fail", "4"),
      request("echo", "5", "6")
    ),
    batch(
      failure("1", methodNotFound),
      failure("2", invalidParams),
      failure("3", internalError),
      failure("4", applicationError),
      failure("5", invalidRequest)
    )
  ],
  ["a response", batch(success("1", "2")), undefined],
  [
    "responses and notifications",
    batch(success("1", "2"), request("update", undefined), failure("2", internalError)),
    undefined
  ],
  ["a response beside a request", batch(success("1", "2"), request("echo", "1")), batch(success("1", "null"))],
  [
    "an invalid response beside a request",
    batch(`{"jsonrpc":"2.0","id":1,"error":null}`, request("echo", "1")),
    batch(success("1", "null"))
  ],
  ["1,000 members", many(1_000, (id) => request("echo", String(id))), many(1_000, (id) => success(String(id), "null"))],
  ["1,001 members", many(1_001, (id) => request("echo", String(id))), refused],
  ["1,001 notifications", many(1_001, () => request("update", undefined)), refused],
  ["an object with an index", `{"0":${request("echo", "1")},"length":1}`, refused]
]).map((one) => ({ ...one, name: `batch: ${one.name}` }))
