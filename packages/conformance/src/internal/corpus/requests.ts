/** Requests and notifications: the members they have, and what a server makes of others. */
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

const refused = (id: string): string => failure(id, invalidRequest)

const values = cases(
  sections.requestObject,
  ["null", "true", "false", "0", "1", "-1.5", "\"\"", "\"echo\"", "{}", `{"foo":"boo"}`, `{"id":null}`].map((value) => [
    `${value} is no request`,
    value,
    refused("null")
  ])
)

const versions = [
  `"1.0"`,
  `"2"`,
  `"2.00"`,
  `"2.0 "`,
  `" 2.0"`,
  `"3.0"`,
  `""`,
  "2",
  "2.0",
  "null",
  "true",
  "[]",
  `["2.0"]`,
  "{}"
]
  .flatMap((version) =>
    cases(sections.requestObject, [
      [`version ${version}`, `{"jsonrpc":${version},"method":"echo","id":1}`, refused("1")],
      [`version ${version} of a notification`, `{"jsonrpc":${version},"method":"echo"}`, refused("null")]
    ])
  )

const version = cases(sections.compatibility, [
  ["no version", `{"method":"echo","id":1}`, refused("1")],
  ["a request of version 1.0", `{"method":"echo","params":[],"id":1}`, refused("1")],
  ["a request of version 1.1", `{"version":"1.1","method":"echo","params":[],"id":1}`, refused("1")],
  ["JSONRPC is no version", `{"JSONRPC":"2.0","method":"echo","id":1}`, refused("1")],
  ["no version and no id", `{"method":"echo"}`, refused("null")]
])

const badMethods = ["null", "true", "1", "[]", "{}", `["echo"]`, `{"echo":1}`].flatMap((method) =>
  cases(sections.requestObject, [
    [`method ${method}`, `{"jsonrpc":"2.0","method":${method},"id":1}`, refused("1")],
    [`method ${method} of a notification`, `{"jsonrpc":"2.0","method":${method}}`, refused("null")]
  ])
)

const unknownMethods = cases(
  sections.errorObject,
  [
    "",
    "Echo",
    "ECHO",
    "echo ",
    " echo",
    "echo\0",
    "foobar",
    "rpc.nothing",
    "constructor",
    "__proto__",
    "prototype",
    "toString",
    "valueOf",
    "hasOwnProperty",
    "then",
    "é😀",
    "\ud800",
    "a/b.c-d_e:f",
    "x".repeat(1_000)
  ].map((method) => [
    `unknown method ${JSON.stringify(method.slice(0, 20))}`,
    request(method, "1"),
    failure("1", [methodNotFound[0], methodNotFound[1], JSON.stringify(method)])
  ])
)

const methods = cases(sections.requestObject, [
  ["an escaped method", `{"jsonrpc":"2.0","method":"\\u0065cho","id":1}`, success("1", "null")],
  ["no method", `{"jsonrpc":"2.0","id":1}`, refused("1")],
  ["Method is no method", `{"jsonrpc":"2.0","Method":"echo","id":1}`, refused("1")],
  ["params without a method", `{"jsonrpc":"2.0","params":[],"id":1}`, refused("1")]
])

const extra = cases(sections.requestObject, [
  ["an extra member is ignored", `{"jsonrpc":"2.0","method":"echo","id":1,"more":{"a":1}}`, success("1", "null")],
  [
    "an extra __proto__ is ignored",
    `{"jsonrpc":"2.0","__proto__":{"method":"foobar"},"method":"echo","id":1}`,
    success("1", "null")
  ],
  ["an extra meta member is ignored", `{"jsonrpc":"2.0","method":"echo","id":1,"_meta":null}`, success("1", "null")],
  ["a request with a result is a request", `{"jsonrpc":"2.0","method":"echo","id":1,"result":2}`, success("1", "null")],
  [
    "a request with an error is a request",
    `{"jsonrpc":"2.0","method":"echo","id":1,"error":{"code":1,"message":"m"}}`,
    success("1", "null")
  ],
  ["a notification with a result is a notification", `{"jsonrpc":"2.0","method":"echo","result":2}`, undefined],
  [
    "a bad method with a result is an invalid request",
    `{"jsonrpc":"2.0","method":null,"id":1,"result":2}`,
    refused("1")
  ]
])

const badParams = ["null", "true", "false", "0", "1", `""`, `"bar"`].flatMap((params) =>
  cases(sections.parameterStructures, [
    [`params ${params}`, request("echo", "1", params), refused("1")],
    [`params ${params} of an unknown method`, request("foobar", "\"a\"", params), refused("\"a\"")],
    [`params ${params} of a notification`, request("echo", undefined, params), refused("null")]
  ])
)

const goodParams = [
  ...cases(sections.parameterStructures, [
    ["no params", request("echo", "1"), success("1", "null")],
    ["params [null]", request("echo", "1", "[null]"), success("1", "[null]")],
    ["params []", request("echo", "1", "[]"), success("1", "[]")],
    ["params {}", request("echo", "1", "{}"), success("1", "{}")],
    [
      "params within params",
      request("echo", "1", `{"params":[{"params":{}}]}`),
      success("1", `{"params":[{"params":{}}]}`)
    ],
    ["Params is an extra member", `{"jsonrpc":"2.0","method":"echo","id":1,"Params":[1]}`, success("1", "null")],
    ["a message as params", request("echo", "1", request("echo", "2")), success("1", request("echo", "2"))],
    ["a batch as params", request("echo", "1", `[${request("echo", "2")}]`), success("1", `[${request("echo", "2")}]`)],
    ["negative numbers and fractions", request("subtract", "1", "[-1.5,2.5]"), success("1", "-4")],
    ["named parameters in any order", request("subtract", "1", `{"subtrahend":1,"minuend":3}`), success("1", "2")],
    ["one number", request("sum", "1", "[5]"), success("1", "5")],
    ["many numbers", request("sum", "1", "[1,2,3,4,5,6,7,8,9,10]"), success("1", "55")],
    ["no parameters needed", request("get_data", "1"), success("1", `["hello",5]`)]
  ]),
  ...cases(sections.errorObject, [
    ...[
      "[]",
      "[1]",
      "[1,2,3]",
      `["1","2"]`,
      "[1,null]",
      "{}",
      `{"minuend":1}`,
      `{"minuend":"1","subtrahend":2}`,
      `{"Minuend":1,"Subtrahend":2}`
    ]
      .map((params) =>
        [`subtract with ${params}`, request("subtract", "1", params), failure("1", invalidParams)] as const
      ),
    ["subtract without params", request("subtract", "1"), failure("1", invalidParams)],
    ...[`["1"]`, "[1,[2]]", "[null]", `{"a":1}`]
      .map((params) => [`sum with ${params}`, request("sum", "1", params), failure("1", invalidParams)] as const),
    ["sum without params", request("sum", "1"), failure("1", invalidParams)],
    ["an application error", request("fail", "1"), failure("1", applicationError)],
    ["an application error of a call with params", request("fail", "1", "[1]"), failure("1", applicationError)],
    ["a crash", request("crash", "1"), failure("1", internalError)],
    ["a crash of a call with id null", request("crash", "null"), failure("null", internalError)]
  ])
]

const notifications = cases(sections.notification, [
  ["update", request("update", undefined, "[1,2]"), undefined],
  ["update without params", request("update", undefined), undefined],
  ["update as a request", request("update", "1", "[1,2]"), success("1", "null")],
  ["notify_hello as a request", request("notify_hello", "1", "[7]"), success("1", "null")],
  ["notify_sum as a request", request("notify_sum", "1", "[1,2,4]"), success("1", "null")],
  ["a method with a result as a notification", request("echo", undefined, "[1]"), undefined],
  ["an unknown method as a notification", request("rpc.nothing", undefined), undefined],
  ["a notification whose params do not fit", request("subtract", undefined, "[1]"), undefined],
  ["a notification that fails", request("fail", undefined), undefined],
  ["a notification that crashes", request("crash", undefined), undefined],
  ["a notification with extra members", `{"jsonrpc":"2.0","method":"update","more":1}`, undefined],
  ["a notification of the empty method", request("", undefined), undefined]
])

export const requests: ReadonlyArray<WireCase> = [
  ...values,
  ...versions,
  ...version,
  ...badMethods,
  ...unknownMethods,
  ...methods,
  ...extra,
  ...badParams,
  ...goodParams,
  ...notifications
]
