import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@parley/protocol/Limits"
import { Recorder, Redaction } from "@parley/traffic"
import { Arbitrary, Effect, Result, Schema } from "effect"

const int = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))

const literals = (...all: readonly [string, ...ReadonlyArray<string>]) => Arbitrary.schema(Schema.Literals(all))

/** JSON in which nothing is a secret. */
const json = Arbitrary.schema(Schema.Json)

const names = literals(
  "password",
  "Authorization",
  "Set-Cookie",
  "access_token",
  "refreshToken",
  "id-token",
  "client_secret",
  "API_KEY",
  "x-api-key",
  "token",
  "githubToken"
)

/** A secret that is found by nothing but the name of its member. */
const secrets = Arbitrary.map(
  Arbitrary.all({ number: int(1e8, 1e9), end: literals("", "\"", "\\", "\n", "é", "{", "}]", "\u0000") }),
  ({ end, number }) => ({ planted: `q${number}q`, value: `q${number}q${end}` })
)

/** A string of JSON with some characters as escapes. */
const escaped = (text: string, every: number): string =>
  `"${
    [...JSON.stringify(text).slice(1, -1).matchAll(/\\u.{4}|\\.|[^]/g)].map(([unit], at) =>
      unit.length === 1 && at % every === 0 ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}` : unit
    ).join("")
  }"`

/** What stands around a planted member. */
const around = [
  (member: string) => `{${member}}`,
  (member: string) => `{"a":[1,{"b":"c",${member},"d":null}]}`,
  (member: string) => `[{"progressToken":"p","x":true, ${member} },"tail"]`,
  (member: string) => `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}],${member}}}`
]

/** Texts with a text in them. */
const carrying = [
  (text: string) => text,
  (text: string) => JSON.stringify({ text }),
  (text: string) => JSON.stringify({ a: [`it is 5" wide, see ${text} and go on`] }),
  (text: string) => `"${JSON.stringify({ text: JSON.stringify({ text }) }).replace(/[\\"]/g, "\\$&")}"`
]

describe("a redacted text", () => {
  it("keeps the token of work in LSP, which only its method tells from a secret", () => {
    const text = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", method, params })
    for (const method of ["$/progress", "window/workDoneProgress/create", "window/workDoneProgress/cancel"]) {
      for (const token of ["backgroundIndexProgress", 12]) {
        assert.strictEqual(Redaction.text(text(method, { token })), text(method, { token }))
      }
      assert.strictEqual(
        Redaction.text(text(method, { token: "work", password: "p-1", value: { token: "t-1" } })),
        text(method, { token: "work", password: "[redacted]", value: { token: "[redacted]" } })
      )
      assert.notInclude(Redaction.text(text(method, { token: "ghp_abcdefghijkl" })), "abcdefghijkl")
    }
    assert.notInclude(Redaction.text(text("login", { token: "t-1", note: "$/progress" })), "t-1")
    assert.notInclude(Redaction.text(`{"result":{"method":"$/progress","params":{"token":"t-1"}}}`), "t-1")
  })

  it("has no value of a member with the name of a secret, and all other characters", () => {
    const rows: ReadonlyArray<readonly [text: string, redacted: string]> = [
      [`{ "password":"a\\"b", "n":1.0 }`, `{ "password":"[redacted]", "n":1.0 }`],
      [`{"pass\\u0077ord":"x"}`, `{"pass\\u0077ord":"[redacted]"}`],
      [`{"api_key":12,"token":null}`, `{"api_key":"[redacted]","token":null}`],
      [`{"otp":123456,"isotp":1,"auth":"none"}`, `{"otp":"[redacted]","isotp":1,"auth":"none"}`],
      [`{"cookie":["a",{"b":"c"}],"d":"e"}`, `{"cookie":["[redacted]",{"b":"[redacted]"}],"d":"e"}`],
      [
        `{"properties":{"password":{"type":"string"}},"required":["password"]}`,
        `{"properties":{"password":{"type":"string"}},"required":["password"]}`
      ],
      [
        `{"progressToken":"a","nextCursor":"b","cursor":"c","nextPageToken":"d","maxTokens":9}`,
        `{"progressToken":"a","nextCursor":"b","cursor":"c","nextPageToken":"d","maxTokens":9}`
      ],
      [`{"text":"{\\"secret\\":7}"}`, `{"text":"{\\"secret\\":\\"[redacted]\\"}"}`],
      [
        `{"env":[{"name":"API_KEY","value":"x"},{"name":"HOME","value":"/root"}]}`,
        `{"env":[{"name":"API_KEY","value":"[redacted]"},{"name":"HOME","value":"/root"}]}`
      ],
      [`{"value":"x","header":"Authorization"}`, `{"value":"[redacted]","header":"Authorization"}`],
      [`{"key":"pass\\u0077ord","a":{},"value":12}`, `{"key":"pass\\u0077ord","a":{},"value":"[redacted]"}`],
      [`{"name":"token","value":["x"]}`, `{"name":"token","value":["[redacted]"]}`],
      [
        `{"text":"{\\"name\\":\\"pwd\\",\\"value\\":\\"x\\"}"}`,
        `{"text":"{\\"name\\":\\"pwd\\",\\"value\\":\\"[redacted]\\"}"}`
      ],
      [`{"value":12,"name":"token"}`, `{"value":"[redacted]","name":"token"}`],
      [`{"value":["x",{"a":"b"}],"key":"token"}`, `{"value":"[redacted]","key":"token"}`],
      [`{"value":{"a":["x"]},"name":"HOME"}`, `{"value":{"a":["x"]},"name":"HOME"}`],
      [
        `{"api_keys":["a"],"passwords":"b","access_tokens":[1],"max_tokens":100,"tokens":["c"],"tokens_used":5}`,
        `{"api_keys":["[redacted]"],"passwords":"[redacted]","access_tokens":["[redacted]"],`
        + `"max_tokens":100,"tokens":["c"],"tokens_used":5}`
      ],
      [`{"name":"HOME","b":{"name":"token"},"value":"x"}`, `{"name":"HOME","b":{"name":"token"},"value":"x"}`],
      [`{"password":"cut of`, `{"password":"[redacted]`],
      [`no JSON, "password": "x" and more`, `no JSON, "password": "[redacted]" and more`]
    ]
    for (const [text, redacted] of rows) assert.strictEqual(Redaction.text(text), redacted)
  })

  it("has no value behind a flag or a name in an array", () => {
    const rows: ReadonlyArray<readonly [text: string, redacted: string]> = [
      [`[["X-Api-Key","abc"],["Accept","x"]]`, `[["X-Api-Key","[redacted]"],["Accept","x"]]`],
      [`["--token","abc"]`, `["--token","[redacted]"]`],
      [`{"args":["-y","a", "--api-key" , "b","c"]}`, `{"args":["-y","a", "--api-key" , "[redacted]","c"]}`],
      [`{"params":["api_key","abc"]}`, `{"params":["api_key","[redacted]"]}`],
      [`{"words":["secret","garden"]}`, `{"words":["secret","garden"]}`],
      [`["--token","--verbose"]`, `["--token","--verbose"]`],
      [`["token","user","mail"]`, `["token","user","mail"]`],
      [`{"required":["token","user"]}`, `{"required":["token","user"]}`],
      [`{"grant_types":["device_code","refresh_token"]}`, `{"grant_types":["device_code","refresh_token"]}`]
    ]
    for (const [text, redacted] of rows) assert.strictEqual(Redaction.text(text), redacted)
  })

  it("has no value of a line of settings or of a header, in quotes or without", () => {
    const rows: ReadonlyArray<readonly [text: string, redacted: string]> = [
      [`API_KEY="abc123def"`, `API_KEY="[redacted]"`],
      [`export SECRET='s3cr3t' # c`, `export SECRET='[redacted]' # c`],
      ["DB_PASSWORD=p@ss(w0rd);x\nb=c", "DB_PASSWORD=[redacted]\nb=c"],
      ["api_key = abc\nb = c", "api_key = [redacted]\nb = c"],
      [`token='abc'`, `token='[redacted]'`],
      [`token="a\\"b" c`, `token="[redacted]" c`],
      [`{'apiKey': 'abc', 'b': 'c'}`, `{'apiKey': '[redacted]', 'b': 'c'}`],
      [`a \\"token\\": \\"b\\", c`, `a \\"token\\": \\"[redacted]\\", c`],
      ["a?x=1&api%2Dkey=q&y=2", "a?x=1&api%2Dkey=[redacted]&y=2"],
      [
        `Authorization: Digest username="x", uri="/[0]", response="6629"\nAccept: a`,
        "Authorization: [redacted]\nAccept: a"
      ],
      [`curl -H "Authorization: Digest a" https://b`, `curl -H "Authorization: [redacted]" https://b`],
      [`curl -H 'X-Api-Key: a "b" c' https://d`, `curl -H 'X-Api-Key: [redacted]' https://d`],
      ["{headers:{authorization:a},b:1}", "{headers:{authorization:[redacted]},b:1}"],
      ["Bearer\tabc", "Bearer\t[redacted]"]
    ]
    const plain = [
      "the token is invalid",
      "the password: it is short",
      "`x-api-key`: the header of the key",
      "if (token === undefined || secret == null) token => a",
      "max_tokens: 100, prompt_tokens = 5, tokens_used: 7",
      "the tokens: a, b"
    ]
    for (const [text, redacted] of [...rows, ...plain.map((text) => [text, text] as const)]) {
      assert.strictEqual(Redaction.text(text), redacted)
      assert.strictEqual(Redaction.text(JSON.stringify({ text })), JSON.stringify({ text: redacted }))
    }
  })

  it("has nothing that has the shape of a secret", () => {
    const rows: ReadonlyArray<readonly [text: string, redacted: string]> = [
      ["Bearer abc.def", "Bearer [redacted]"],
      ["Authorization: Digest username", "Authorization: [redacted]"],
      ["a Basic dXNlcjpwYXNz!", "a Basic [redacted]!"],
      ["see eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2ln, ok", "see [redacted], ok"],
      ["sk-proj-abcdefgh12345678", "[redacted]"],
      ["ghp_abcdefghijklmnop and github_pat_11AAAAAAA0", "[redacted] and [redacted]"],
      ["AKIAIOSFODNN7EXAMPLE", "[redacted]"],
      ["xoxb-1234-abcdefgh", "[redacted]"],
      [
        "https://ada:lovelace@example.org/?access_token=x&page=2",
        "https://ada:[redacted]@example.org/?access_token=[redacted]&page=2"
      ],
      ["a: b c=d cookie: e", "a: b c=d cookie: [redacted]"],
      ["q=token=abc", "q=token=[redacted]"],
      ["-----BEGIN PRIVATE KEY-----\nMIIB\n-----END", "-----BEGIN PRIVATE KEY-----[redacted]-----END"],
      [`Bearer realm="x", resource_metadata="https://a"`, `Bearer realm="x", resource_metadata="https://a"`],
      [
        "a bearer token, basic functionality, sk-learn, a cookie: none",
        "a bearer token, basic functionality, sk-learn, a cookie: [redacted]"
      ]
    ]
    for (const [text, redacted] of rows) {
      assert.strictEqual(Redaction.text(text), redacted)
      assert.strictEqual(Redaction.text(JSON.stringify({ text })), JSON.stringify({ text: redacted }))
    }
  })

  it.effect.prop(
    "has no planted secret, however it is escaped, and is JSON with the same rest",
    {
      name: names,
      secret: secrets,
      every: int(1, 4),
      place: int(0, around.length - 1),
      carrier: int(0, carrying.length - 1)
    },
    ({ carrier, every, name, place, secret }) =>
      Effect.sync(() => {
        const member = (value: string) => carrying[carrier]!(around[place]!(`${escaped(name, every)}:${value}`))
        const text = member(escaped(secret.value, every))
        const redacted = Redaction.text(text)
        assert.notInclude(redacted, secret.planted)
        assert.notInclude(JSON.stringify(JSON.parse(redacted)), secret.planted)
        assert.strictEqual(redacted, member(`"${Redaction.mark}"`))
      }),
    { arbitrary: { runs: 500 } }
  )

  it.effect.prop(
    "is the same text where there is no secret",
    { json, every: int(1, 4) },
    ({ every, json }) =>
      Effect.sync(() => {
        const text = JSON.stringify({ json, text: JSON.stringify(json, undefined, every) })
        // What is found by chance holds one of these.
        if (/token|secret|passw|pwd|jwt|cookie|=|:\/\//i.test(text)) return
        assert.strictEqual(Redaction.text(text), text)
      }),
    { arbitrary: { runs: 500 } }
  )

  it.effect.prop(
    "stays the same when it is redacted again",
    {
      parts: Arbitrary.array(
        Arbitrary.map(
          Arbitrary.all({
            kind: int(0, 3),
            text: Arbitrary.schema(Schema.String),
            piece: literals(
              "\"",
              "\\\"",
              "\\\\",
              "{",
              "}",
              "[",
              "]",
              ":",
              ",",
              " ",
              "\"password\":",
              "\"a\"",
              "\"name\":",
              "\"password\"",
              "\"value\":",
              "token=",
              "token='",
              "'",
              "--token\",",
              "api_key: ",
              "=",
              "Bearer ",
              "basic ",
              "dXNlcjpwYXNz==",
              "ghp_abcdefgh",
              "AKIAAAAAAAAAAAAA",
              "eyJa.b",
              ".c",
              "-",
              "://u:",
              "@",
              "authorization: ",
              "cookie: ",
              "null",
              "12",
              "-----BEGIN PRIVATE KEY-----",
              "\\u0022",
              "properties\":{",
              "\n"
            )
          }),
          ({ kind, piece, text }) => (kind === 0 ? text : piece)
        ),
        { maxLength: 24 }
      ),
      isNested: int(0, 2)
    },
    ({ isNested, parts }) =>
      Effect.sync(() => {
        let text = parts.join("")
        for (let depth = 0; depth < isNested; depth++) text = JSON.stringify({ text })
        const redacted = Redaction.text(text)
        assert.strictEqual(Redaction.text(redacted), redacted)
        // A text within strings is redacted as such.
        if (isNested > 0) JSON.parse(redacted)
      }),
    { arbitrary: { runs: 3_000 } }
  )

  it.each([
    `token='-----BEGIN PRIVATE KEY-----'"password"`,
    `token='-----BEGIN PRIVATE KEY-----\n"password"`,
    `Bearer Bearer dXNlcjpwYXNz==`,
    JSON.stringify({ text: `"password"ghp_abcdefghcookie: \u0000"password":\`#ditL` })
  ])("regression: is redacted once: %j", (text) => {
    const redacted = Redaction.text(text)
    assert.include(redacted, Redaction.mark)
    assert.strictEqual(Redaction.text(redacted), redacted)
  })

  it("takes a secret as long as a frame", () => {
    const length = Limits.defaults.frame
    const body = Redaction.text(`-----BEGIN PRIVATE KEY-----${"a".repeat(length)}-----END PRIVATE KEY-----`)
    assert.strictEqual(body, `-----BEGIN PRIVATE KEY-----${Redaction.mark}-----END PRIVATE KEY-----`)
    assert.strictEqual(Redaction.text(`eyJa${".a".repeat(length / 2)}`), Redaction.mark)
  })

  it("replaces a string as a whole that is escaped more than eight times", () => {
    let text = `{"password":"hunter2"}`
    for (let depth = 0; depth < 8; depth++) text = JSON.stringify({ text })
    assert.notInclude(Redaction.text(text), "hunter2")
    assert.include(Redaction.text(text), "password")
    text = JSON.stringify({ text: JSON.stringify({ text }) })
    assert.notInclude(Redaction.text(text), "hunter2")
    assert.notInclude(Redaction.text(text), "password")
    JSON.parse(Redaction.text(text))
  })

  it("is a line of a recording that reads back, whose texts have no secrets", () => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"m","params":{"token":"s3cr3t"}}`
    const line = Redaction.text(Recorder.toLine({ _tag: "Sent", time: 0, connection: 1, text }))
    assert.deepStrictEqual(Result.getOrThrow(Recorder.fromLine(line)), {
      _tag: "Sent",
      time: 0,
      connection: 1,
      text: text.replace("s3cr3t", Redaction.mark)
    })
  })
})
