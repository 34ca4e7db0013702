/** Texts that make a function slow that is not careful: one piece again and again, after a beginning and before an end. */

/** A text of about so many characters: the unit again and again, between a beginning and an end. */
export interface Shape {
  readonly begin: string
  readonly unit: string
  readonly end: string
}

export const textOf = ({ begin, end, unit }: Shape, size: number): string =>
  begin + unit.repeat(Math.ceil(size / unit.length)) + end

const shapes = (begins: ReadonlyArray<string>, units: ReadonlyArray<string>, ends: ReadonlyArray<string>) =>
  begins.flatMap((begin) => units.flatMap((unit) => ends.map((end): Shape => ({ begin, unit, end }))))

/** Texts that are JSON, nearly, or not at all. */
export const jsonShapes = [
  ...shapes(
    ["", `{"jsonrpc":"2.0","id":1,"method":"m","params":[`],
    [
      "[",
      "{",
      `{"a":`,
      "[]",
      "{},",
      `"",`,
      "1,",
      "1",
      "9e9",
      `"\\\\`,
      "\\",
      "\"",
      " ",
      "\n",
      ",",
      ":",
      "\u0000",
      "é",
      "x"
    ],
    [""]
  ),
  ...shapes([`{"jsonrpc":"2.0","id":1,"method":"m","params":[`], ["{},", "1,", `"a",`, `{"a":1},`, "[[]],"], ["1]}"]),
  ...shapes([`{"jsonrpc":"2.0","id":1,"method":"m","params":{`], [`"":1,`, `"id":1,`, `"\\u0069d":1,`], [`"z":1}}`]),
  ...shapes([`{"jsonrpc":"2.0","method":"m",`], [`"id":1,`, `"id":1.0,`, `"a":1,`, `"\\u0069d":[],`], [`"id":1.0}`]),
  ...shapes([`{"jsonrpc":"2.0","id":`], ["1", "0"], [`,"method":"m"}`, `e9,"method":"m"}`, ""]),
  ...shapes([`{"jsonrpc":"2.0","id":"`, `{"jsonrpc":"2.0","id":1,"method":"`, `"`], [
    "x",
    "\\\\",
    "\\u0041",
    "\\\"",
    "id\\\""
  ], [
    `","method":"m"}`,
    ""
  ]),
  ...shapes(["["], [
    `{"jsonrpc":"2.0","id":1.0,"method":"m"},`,
    `{"jsonrpc":"2.0","id":"\\u0041","result":{}},`,
    `{"jsonrpc":"2.0","method":"m","params":[1e999]},`,
    "[],",
    "1,"
  ], [`1]`, ""]),
  ...shapes([`{"a":`], [`{"a":`, "["], [`1${"}".repeat(99)}`])
]

export const numberShapes = [
  ...shapes(["["], ["1e512,", "1e4000,", "1E-512,", "0.10,", "-0,", "9007199254740993,", `"1e9",`], ["1]", ""]),
  ...shapes(["[", "[0.", "[1e", "[-"], ["0", "1", "9"], ["]", ".5]", "e9]", "e-512]"])
]

/** Values that fit, those that may be left out, and those that may not. */
export const misfittingShapes = [
  ...shapes(["["], ["1,", `"a",`, "{},", `{"name":1},`, `{"by":{"a":"b"}},`, `{"kind":"a","in":[1]},`, "[],"], ["1]"]),
  ...shapes([`[{"by":{"`, `[{"`, `[{"in":[`], [`a":"","`, `name":1,"`, `"a",`], [`":1}}]`, `":1}]`, "1]}]"])
]

/** Texts of headers, command lines, URLs and prose. */
export const wordShapes = shapes(
  ["", "a", "http://", "=?base64?"],
  [
    " ",
    "\t",
    "=",
    "a",
    "/",
    ",",
    ";",
    "\"",
    "'",
    "\\",
    ":",
    "?",
    "@",
    "%41",
    "1",
    "-",
    "a=1; ",
    "://",
    ".",
    "\r\n",
    "a ",
    " =",
    "; q=1",
    "\u001b"
  ],
  ["", "x", "?="]
)

/** Lines of settings and headers, and JSON in which they are no settings. */
export const settingShapes = shapes(["", "[", "{", `{"value":`, `"`], [
  "a=",
  "token='",
  "\"token=",
  "token=\\\\\\'",
  "apiKey: ",
  "apiKey: a]",
  `x,"apiKey: a",`,
  `x,"token='",`,
  `"--token",`,
  `["token",`,
  `{"value":{`,
  `"value":[],`,
  "-----BEGIN PRIVATE KEY-----",
  "Bearer\t"
], ["", `"}`, `","name":"token"}`])

export const eventShapes = shapes(
  ["", "data: ", ": ", "id: "],
  ["a", "\n", "\r", "data:\n", "data: a\n\n", "id: 1\r\n", ":\n", "event: x\n", "retry: 1\n", "\u00e9"],
  ["", "\n\n"]
)

export const framingShapes = [
  ...jsonShapes,
  ...shapes(["", "Content-Length: "], [
    "a: b\r\n",
    "Content-Length: 1\r\n",
    "1",
    "a",
    ":",
    "GET",
    "Content-Length: 2\r\n\r\n{}"
  ], ["", "\r\n\r\n"]),
  ...shapes(["GET /"], ["x", " ", "\ufeff"], ["", " HTTP/1.1\r\n"])
]
