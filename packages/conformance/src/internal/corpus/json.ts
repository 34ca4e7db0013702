/** Texts that are no JSON, and texts that are JSON although they look odd. */
import { cases, failure, parseError, request, sections, success, type WireCase } from "./WireCase.ts"

const refused = failure("null", parseError)

const malformed = (section: string, rows: ReadonlyArray<readonly [name: string, input: string]>) =>
  cases(section, rows.map(([name, input]) => [`no JSON: ${name}`, input, refused]))

const grammar = malformed(sections.jsonGrammar, [
  ["an empty text", ""],
  ["nothing but spaces", "   "],
  ["an opening brace", "{"],
  ["a closing brace", "}"],
  ["an opening bracket", "["],
  ["a closing bracket", "]"],
  ["a comma", ","],
  ["a bare word", "hello"],
  ["a request cut off in a string", `{"jsonrpc":"2.0","method":"ec`],
  ["a request cut off after a key", `{"jsonrpc":"2.0","method"`],
  ["a request cut off before its brace", `{"jsonrpc":"2.0","method":"echo","id":1`],
  ["a comma before the closing brace", `{"jsonrpc":"2.0","method":"echo","id":1,}`],
  ["a comma before the closing bracket", `{"jsonrpc":"2.0","method":"echo","id":1,"params":[1,]}`],
  ["a comma after the opening bracket", `{"jsonrpc":"2.0","method":"echo","id":1,"params":[,1]}`],
  ["two commas", `{"jsonrpc":"2.0",,"method":"echo","id":1}`],
  ["a missing comma", `{"jsonrpc":"2.0" "method":"echo","id":1}`],
  ["a missing colon", `{"jsonrpc":"2.0","method" "echo","id":1}`],
  ["a missing value", `{"jsonrpc":"2.0","method":,"id":1}`],
  ["a missing key", `{"jsonrpc":"2.0",:"echo","id":1}`],
  ["a key without quotes", `{jsonrpc:"2.0","method":"echo","id":1}`],
  ["a key that is a number", `{"jsonrpc":"2.0","method":"echo","id":1,2:3}`],
  ["single quotes", `{'jsonrpc':'2.0','method':'echo','id':1}`],
  ["brackets that cross", `{"jsonrpc":"2.0","method":"echo","params":[{]},"id":1}`],
  ["a closing brace too many", `{"jsonrpc":"2.0","method":"echo","id":1}}`],
  ["two requests side by side", request("echo", "1") + request("echo", "2")],
  ["two requests with a comma", `${request("echo", "1")},${request("echo", "2")}`],
  ["a word behind the request", `${request("echo", "1")} x`],
  ["a comment", `{"jsonrpc":"2.0",/* c */"method":"echo","id":1}`],
  ["a comment at the end", `${request("echo", "1")}// c`],
  ["a form feed between members", `{"jsonrpc":"2.0",\f"method":"echo","id":1}`],
  ["a vertical tab between members", `{"jsonrpc":"2.0",\v"method":"echo","id":1}`],
  ["a no-break space between members", `{"jsonrpc":"2.0",\u00a0"method":"echo","id":1}`],
  ["a NUL behind the request", `${request("echo", "1")}\0`],
  ["True", `{"jsonrpc":"2.0","method":"echo","id":1,"params":[True]}`],
  ["nul", `{"jsonrpc":"2.0","method":"echo","id":1,"params":[nul]}`],
  ["undefined", `{"jsonrpc":"2.0","method":"echo","id":1,"params":[undefined]}`],
  ["a batch that is not closed", `[${request("echo", "1")}`],
  ["a batch with a comma at its end", `[${request("echo", "1")},]`],
  ["a batch without commas", `[${request("echo", "1")} ${request("echo", "2")}]`],
  ["a batch closed by a brace", `[${request("echo", "1")}}`],
  ["XML", `<?xml version="1.0"?><methodCall/>`]
])

const encoding = malformed(sections.jsonEncoding, [[
  "a byte order mark behind a space",
  ` \ufeff${request("echo", "1")}`
]])

const numbers = malformed(
  sections.jsonNumbers,
  ["NaN", "Infinity", "-Infinity", "+1", ".5", "1.", "-.5", "01", "-01", "0x1F", "1e", "1e+", "--1", "-", "1_000", "1n"]
    .map((number) => [`the number ${number}`, request("echo", "1", `[${number}]`)])
)

const strings = malformed(sections.jsonStrings, [
  ["a tab in a string", request("echo", "1", "[\"\t\"]")],
  ["a line feed in a string", request("echo", "1", "[\"\n\"]")],
  ["a NUL in a string", request("echo", "1", "[\"\0\"]")],
  ["the escape \\x", request("echo", "1", `["\\x41"]`)],
  ["the escape \\'", request("echo", "1", `["\\'"]`)],
  ["an escape with three digits", request("echo", "1", `["\\u004"]`)],
  ["an escape with braces", request("echo", "1", `["\\u{41}"]`)],
  ["a string that is not closed", `{"jsonrpc":"2.0","method":"echo","id":1,"params":["a]}`],
  ["a string closed by an escaped quote", `{"jsonrpc":"2.0","method":"echo","id":1,"params":["a\\"]}`],
  ["a string in backticks", request("echo", "1", "[`a`]")]
])

/** Arrays within each other. */
const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels)

const depth = malformed(sections.jsonParsers, [
  ["513 levels", request("echo", "1", nested(512))],
  ["600 levels of objects", request("echo", "1", `${"{\"a\":".repeat(600)}1${"}".repeat(600)}`)],
  ["100,000 opening brackets", "[".repeat(100_000)],
  ["100,000 opening braces", "{\"a\":".repeat(100_000)],
  ["100,000 levels within a batch", `[${request("echo", "1")},${nested(100_000)}]`]
])

const echo = (name: string, section: string, params: string): WireCase => ({
  name: `JSON: ${name}`,
  section,
  input: request("echo", "1", params),
  reply: success("1", params)
})

const odd: ReadonlyArray<WireCase> = [
  echo("512 levels", sections.jsonParsers, nested(511)),
  echo("1,000 brackets in a string", sections.jsonParsers, `["${"[{".repeat(500)}"]`),
  echo("1,000 brackets behind an escaped quote", sections.jsonParsers, `["\\"${"[{".repeat(500)}"]`),
  echo("2,000 arrays side by side", sections.jsonParsers, `[${new Array(2_000).fill("[]").join(",")}]`),
  echo("a string of 100,000 characters", sections.jsonStrings, `["${"é".repeat(100_000)}"]`),
  echo("every short escape", sections.jsonStrings, `["\\"\\\\\\/\\b\\f\\n\\r\\t"]`),
  echo("escaped control characters", sections.jsonStrings, `["\\u0000\\u001f\\u007f"]`),
  echo("characters beyond the basic plane", sections.jsonStrings, `["😀","\\ud83d\\ude00"]`),
  echo("a lone surrogate, escaped", sections.jsonStrings, `["\\ud800","\\udc00\\ud800"]`),
  echo("a line separator in a string", sections.jsonStrings, `["\u2028\u2029"]`),
  echo("a byte order mark in a string", sections.jsonStrings, `["\ufeff"]`),
  echo("a DEL in a string", sections.jsonStrings, `["\u007f"]`),
  echo("numbers in every notation", sections.jsonNumbers, "[0,-1,1.5,1e2,1E+2,1e-2,-0.0,5e-324]"),
  echo("a number beyond 2^53 in the payload", sections.jsonNumbers, "[9007199254740993]"),
  echo("literals", sections.jsonGrammar, "[true,false,null]"),
  echo("empty keys and values", sections.jsonObjects, `{"":""}`),
  echo("keys that objects inherit", sections.jsonObjects, `{"__proto__":{"a":1},"constructor":2,"toString":3}`),
  echo("a __proto__ that is a string", sections.jsonObjects, `{"__proto__":"x"}`),
  echo("a key rawJSON", sections.jsonObjects, `{"rawJSON":"1"}`),
  ...cases(sections.jsonGrammar, [
    ["JSON: spaces between all tokens", ` { "jsonrpc" : "2.0" , "method" : "echo" , "id" : 1 } `, success("1", "null")],
    [
      "JSON: tabs between all tokens",
      `\t{\t"jsonrpc"\t:\t"2.0",\t"method":"echo",\t"id"\t:\t1\t}\t`,
      success("1", "null")
    ],
    [
      "JSON: line breaks between all tokens",
      `\r\n{\r\n"jsonrpc":"2.0",\n"method":"echo",\n"id":1\n}\r\n`,
      success("1", "null")
    ]
  ]),
  ...cases(sections.jsonObjects, [
    ["JSON: the id first", `{"id":1,"params":[2],"method":"echo","jsonrpc":"2.0"}`, success("1", "[2]")],
    [
      "JSON: escaped keys",
      `{"\\u006asonrpc":"2.0","\\u006dethod":"echo","\\u0069d":1,"\\u0070arams":[2]}`,
      success("1", "[2]")
    ],
    [
      "JSON: the last of two methods counts",
      `{"jsonrpc":"2.0","method":"foobar","method":"echo","id":1}`,
      success("1", "null")
    ],
    ["JSON: the last of two ids counts", `{"jsonrpc":"2.0","id":1,"method":"echo","id":2}`, success("2", "null")],
    [
      "JSON: the last of two versions counts",
      `{"jsonrpc":"1.0","jsonrpc":"2.0","method":"echo","id":1}`,
      success("1", "null")
    ],
    [
      "JSON: the last of two equal keys of the payload counts",
      request("echo", "1", `{"a":1,"a":2}`),
      success("1", `{"a":2}`)
    ]
  ])
]

export const json: ReadonlyArray<WireCase> = [...grammar, ...encoding, ...numbers, ...strings, ...depth, ...odd]
