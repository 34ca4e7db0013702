import { assert, describe, it } from "@effect/vitest"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import { Effect, Schema } from "effect"
import * as UriTemplate from "../../src/internal/server/feature/uriTemplate.ts"
import * as Uri from "../../src/shared/Uri.ts"
import { modern, open, spoken } from "../server/support/line.ts"

/** Spellings of one resource, and others that are other resources or none. */
const table: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
  [
    "file:///docs/café menu.txt",
    [
      "file:///docs/caf%C3%A9%20menu.txt",
      "file:///docs/caf%c3%a9%20menu.txt",
      "FILE:///docs/café menu.txt",
      "file:///%64ocs/caf%C3%A9%20menu%2Etxt",
      new URL("file:///docs/café menu.txt").href
    ],
    ["file:///docs/Café%20menu.txt", "file:///docs%2Fcaf%C3%A9%20menu.txt", "file:///docs/cafe%CC%81%20menu.txt"]
  ],
  [
    "KBInfo://Main.Example:80/Ä?q=Ö#Ü",
    [
      "kbinfo://main.example:80/%C3%84?q=%C3%96#%C3%9C",
      "KBINFO://MAIN.EXAMPLE:80/Ä?q=Ö#Ü",
      "kbinfo://m%61in.example:80/Ä?q=Ö#Ü"
    ],
    ["kbinfo://main.example:80/%C3%A4?q=%C3%96#%C3%9C", "kbinfo://main.example/%C3%84?q=%C3%96#%C3%9C"]
  ],
  ["https://User@Host/a", ["HTTPS://User@HOST/a", "https://User@host/%61"], [
    "https://user@host/a",
    "https://User@host/A"
  ]],
  ["urn:ISBN:1", ["URN:ISBN:1", "urn:%49SBN:1"], ["urn:isbn:1"]],
  ["a://b/c%2Fd", ["a://b/c%2fd"], ["a://b/c/d"]],
  ["a://b/100%", ["A://b/100%", "a://B/100%"], ["a://b/100%25", "a://b/%3100%"]],
  ["a://b/%FF", ["a://b/%ff"], ["a://b/ÿ"]],
  ["a://b/\ud800", [], ["a://b/\ufffd", "a://b/%EF%BF%BD"]],
  ["a://b/<^`|>\\", ["a://b/%3C%5E%60%7C%3E%5C"], ["a://b/%3C%5E%60%7C%3E/"]],
  ["a://b/../c", ["A://b/%2e%2E/c"], ["a://c", "a://b/c"]]
]

const of = (feature: McpServer.Feature, uri: string) =>
  Effect.gen(function*() {
    const server = yield* McpServer.make({ name: "s", version: "1", features: [feature] })
    // Without a revision nothing is held against a published schema: some of these texts are no URIs for it.
    const line = yield* open(server)
    return yield* line.ask("resources/read", modern({ uri }))
  })

/** Any text whose characters are spelled in any way that is equivalent. */
const Piece = Schema.String.check(Schema.makeFilter((text) => text.isWellFormed()))

const spelled = (text: string, choices: ReadonlyArray<number>): string =>
  [...text].map((character, index) => {
    const choice = choices[index % Math.max(1, choices.length)] ?? 0
    // A reserved character that is not encoded is another one.
    if (choice < 2 && /^[A-Za-z0-9._~-]$|[^\0-\x7f]/.test(character)) return character
    const pairs = [...new TextEncoder().encode(character)].map((byte) => byte.toString(16).padStart(2, "0"))
    return pairs.map((pair, at) => `%${(choice + at) % 2 === 0 ? pair.toUpperCase() : pair}`).join("")
  }).join("")

describe("a resource is found by every equivalent spelling of its URI", () => {
  for (const [declared, equal, other] of table) {
    it.effect(`and by no other one: ${JSON.stringify(declared)}`, () =>
      Effect.gen(function*() {
        const feature = McpResource.make(declared, { name: "one" }, () => Effect.succeed("x"))
        for (const uri of [declared, ...equal]) {
          // What is read has the URI that was asked for.
          assert.deepStrictEqual((yield* of(feature, uri)).result?.["contents"], [{ uri, text: "x" }], uri)
        }
        for (const uri of other) assert.strictEqual((yield* of(feature, uri)).error?.code, -32602, uri)
      }))
  }

  it.prop("whatever it has for characters, once as it is and once by a template", {
    text: Piece,
    first: Schema.Array(Schema.Literals([0, 1, 2, 3])),
    second: Schema.Array(Schema.Literals([0, 1, 2, 3]))
  }, ({ first, second, text }) => {
    const one = `note://Host/x${spelled(text, first)}`
    const other = `NOTE://hOST/x${spelled(text, second)}`
    assert.strictEqual(Uri.normalised(one), Uri.normalised(other))
    assert.strictEqual(Uri.normalised(Uri.normalised(one)), Uri.normalised(one))
    const match = UriTemplate.matcher("nOte://host/{text}")
    assert.deepStrictEqual(match(one), match(other))
    assert.deepStrictEqual(match(one), { text: `x${text}` })
  })

  it.prop("a normal form is stable, and keeps every reserved character", { text: Schema.String }, ({ text }) => {
    for (const uri of [text, `a:${text}`, `A://${text}`, `a://b/${text}`]) {
      const normal = Uri.normalised(uri)
      assert.strictEqual(Uri.normalised(normal), normal)
      const reserved = (uri: string) => uri.replace(/[^:/?#[\]@!$&'()*+,;=]/g, "")
      assert.strictEqual(reserved(normal), reserved(uri))
      assert.lengthOf(Uri.encoded(uri), normal.length)
    }
  })

  it("and an escape makes no scheme", () => {
    for (const uri of ["%75i://app", "u%69://app", "%75%69:app", "u%2bi://app"]) {
      assert.notMatch(Uri.normalised(uri), /^[a-z0-9+.-]+:/i)
      assert.isFalse(Uri.isSame(uri, "ui://app"))
      assert.isUndefined(UriTemplate.matcher("ui://{name}")(uri))
    }
    // A text without a scheme is spelled as before.
    assert.strictEqual(Uri.normalised("%61/b:c"), "a/b:c")
  })

  it("of two features with one name, the second is refused", () => {
    const resource = (uri: string) => McpResource.make(uri, { name: "x" }, () => Effect.succeed("x"))
    const template = (uri: string) => McpResource.template(uri, { name: "x" }, () => Effect.succeed("x"))
    const twice: ReadonlyArray<ReadonlyArray<McpServer.Feature>> = [
      [resource("file:///café"), resource("FILE:///caf%c3%a9")],
      [template("file:///café/{a}"), template("FILE:///caf%c3%a9/{a}")]
    ]
    for (const features of twice) {
      assert.throws(
        () => Effect.runSync(McpServer.make({ name: "s", version: "1", features })),
        /there is a McpResource(?:Template)? .* already/
      )
    }
  })
})

describe("a template matches every equivalent spelling of a URI", () => {
  const cases: ReadonlyArray<readonly [string, string, UriTemplate.Variables | undefined]> = [
    ["file:///café/{name}", "file:///caf%C3%A9/a", { name: "a" }],
    ["file:///caf%c3%a9/{name}", "file:///café/a", { name: "a" }],
    ["file:///my docs/{name}.txt", "file:///my%20docs/a%2Etxt", { name: "a" }],
    ["KBInfo://Main/{id}", "kbinfo://main/A", { id: "A" }],
    ["kbinfo://{host}/{id}", "KBINFO://MaiN/A", { host: "MaiN", id: "A" }],
    ["kbinfo://Region-{name}.Example/{id}", "kbinfo://REGION-eU.example/A", { name: "eU", id: "A" }],
    ["{scheme}://Host/{id}", "FILE://HOST/a", { scheme: "FILE", id: "a" }],
    ["file:///{name}/Ä", "file:///a/ä", undefined],
    ["file:///Docs/{name}", "file:///docs/a", undefined],
    ["x://h/{a}?Q={b}", "x://h/1?q=2", undefined],
    ["file:///{+path}", "file:///a%2Fb/%e4%bd%a0", { path: "a/b/你" }],
    ["file:///100%/{a}", "file:///100%/b", { a: "b" }],
    ["file:///{a}", "file:///100%", undefined]
  ]

  for (const [template, uri, variables] of cases) {
    it(`a match keeps the case of the variables: ${template} and ${uri}`, () => {
      assert.deepStrictEqual(UriTemplate.matcher(template)(uri), variables)
    })
  }

  it("and no spelling leads out of a folder", () => {
    const feature = McpResource.template("file:///docs/{+path}", { name: "x" }, ({ path }) => Effect.succeed(path))
    for (
      const path of [
        "../x",
        "%2e%2E/x",
        "a%2F..%2fx",
        "a/.%2e",
        "%2E.",
        "a\\..\\x",
        "a%5C%2e%2e%5cx",
        "a%00",
        "x/..%5c"
      ]
    ) {
      for (const uri of [`file:///docs/${path}`, `FILE:///%64ocs/${path}`]) {
        assert.isUndefined(feature.match(uri), uri)
      }
    }
    assert.deepStrictEqual(feature.match("FILE:///docs/a..b/...c"), { path: "a..b/...c" })
  })
})

describe("changes of a resource", () => {
  it.effect("reach a subscriber by the name that it has for it, however the server writes it", () =>
    Effect.gen(function*() {
      const feature = McpResource.make("file:///café.txt", { name: "x" }, () => Effect.succeed("x"))
      const server = yield* McpServer.make({ name: "s", version: "1", features: [feature] })
      const { line, params } = yield* spoken(server, "2025-11-25")
      yield* line.result("resources/subscribe", params({ uri: "FILE:///caf%c3%a9.txt" }))
      yield* server.resourceUpdated("file:///café.txt")
      assert.deepInclude(yield* line.next, {
        method: "notifications/resources/updated",
        params: { uri: "FILE:///caf%c3%a9.txt" }
      })
      yield* line.result("resources/unsubscribe", params({ uri: "file:///café.txt" }))
      yield* server.resourceUpdated("file:///café.txt")
      yield* line.result("ping", params())
      assert.deepStrictEqual(line.aside, [])
    }))
})
