import { assert, describe, it } from "@effect/vitest"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as Content from "@parley/mcp/payload/Content"
import * as Revision from "@parley/mcp/wire/Revision"
import { ErrorResponse } from "@parley/peer"
import { Arbitrary, Effect, Logger, Schema } from "effect"
import { spoken } from "./support/line.ts"

type Feature = McpServer.Feature

/** Text that has a place in a URI: no half of a character. */
const NonEmpty = Schema.NonEmptyString.check(Schema.makeFilter((text) => text.isWellFormed()))

const serverOf = (...features: ReadonlyArray<Feature>) =>
  McpServer.make({ name: "s", version: "1", features, cache: { ttlMs: 5_000 } })

/** What reading a URI of some features gives. */
const read = Effect.fnUntraced(function*(
  features: ReadonlyArray<Feature>,
  uri: string,
  revision: Revision.Revision = Revision.latestLegacy
) {
  const { line, params } = yield* spoken(yield* serverOf(...features), revision)
  return yield* line.ask("resources/read", params({ uri }))
})

describe("a resource", () => {
  it.effect("is listed with what it says about itself", () =>
    Effect.gen(function*() {
      const features = [
        McpResource.make(
          "test://one",
          { name: "one", title: "One", description: "the first", mimeType: "text/plain", size: 3 },
          () => Effect.succeed("1")
        ),
        McpResource.template("test://{id}", { name: "some", annotations: { priority: 1 } }, ({ id }) =>
          Effect.succeed(id))
      ]
      const { line } = yield* spoken(yield* serverOf(...features), "2025-06-18")
      assert.deepStrictEqual(yield* line.result("resources/list"), {
        resources: [{
          uri: "test://one",
          name: "one",
          title: "One",
          description: "the first",
          mimeType: "text/plain",
          size: 3
        }]
      })
      assert.deepStrictEqual(yield* line.result("resources/templates/list"), {
        resourceTemplates: [{ uriTemplate: "test://{id}", name: "some", annotations: { priority: 1 } }]
      })
    }))

  it.effect("is text, bytes, or contents that say more", () =>
    Effect.gen(function*() {
      const uri = "test://one"
      const cases: ReadonlyArray<readonly [McpResource.Value, Schema.Json]> = [
        ["hi", [{ uri, mimeType: "a/b", text: "hi" }]],
        [new Uint8Array([1, 2, 3]), [{ uri, mimeType: "a/b", blob: "AQID" }]],
        [Content.textContents("test://other", "x"), [{ uri: "test://other", text: "x" }]],
        [
          [Content.textContents(uri, "x"), Content.blobContents(uri, "AA==", "c/d")],
          [{ uri, text: "x" }, { uri, mimeType: "c/d", blob: "AA==" }]
        ],
        [[], []]
      ]
      for (const [value, contents] of cases) {
        for (const effect of [Effect.succeed(value), Effect.as(Effect.yieldNow, value)]) {
          const feature = McpResource.make(uri, { name: "one", mimeType: "a/b" }, () => effect)
          assert.deepStrictEqual((yield* read([feature], uri)).result, { contents })
        }
      }
    }))

  it.effect("that is not there is refused with the code of the revision, whoever finds out", () =>
    Effect.gen(function*() {
      const gone = McpResource.template(
        "test://gone/{id}",
        { name: "t" },
        (_, __, uri) => Effect.fail(McpResource.notFound(uri))
      )
      for (const revision of Revision.all) {
        const code = revision === "2026-07-28" ? -32602 : -32002
        for (const uri of ["test://nowhere", "test://gone/1"]) {
          const { error } = yield* read([gone], uri, revision)
          assert.deepStrictEqual(error, { code, message: "Resource not found", data: { uri } })
        }
      }
    }))

  it.effect("fails with an ErrorResponse, with the message of an error, or masked", () =>
    Effect.gen(function*() {
      const uri = "test://one"
      const failing = (effect: Effect.Effect<string, unknown>) =>
        Effect.map(read([McpResource.make(uri, { name: "one" }, () => effect)], uri), ({ error }) => error)
      assert.deepStrictEqual(yield* failing(Effect.fail(ErrorResponse.make(7, "seven"))), { code: 7, message: "seven" })
      assert.deepStrictEqual(yield* failing(Effect.fail(new Error("the disk is full"))), {
        code: -32603,
        message: "the disk is full"
      })
      assert.deepStrictEqual(yield* failing(Effect.die(new Error("secret"))), {
        code: -32603,
        message: "Internal error"
      })
    }).pipe(Effect.provide(Logger.layer([]))))

  it.effect("says how long it may be kept, where the revision does: as it says itself, or the server", () =>
    Effect.gen(function*() {
      const cache = { ttlMs: 60_000, cacheScope: "public" } as const
      const features = [
        McpResource.make("test://own", { name: "own", cache }, () => Effect.succeed("")),
        McpResource.make("test://plain", { name: "plain" }, () => Effect.succeed(""))
      ]
      const hint = (uri: string, revision: Revision.Revision) =>
        Effect.map(read(features, uri, revision), ({ result }) => [result?.["ttlMs"], result?.["cacheScope"]])
      assert.deepStrictEqual(yield* hint("test://own", "2026-07-28"), [60_000, "public"])
      assert.deepStrictEqual(yield* hint("test://plain", "2026-07-28"), [5_000, "private"])
      assert.deepStrictEqual(yield* hint("test://own", "2025-11-25"), [undefined, undefined])
    }))
})

describe("a template", () => {
  const matcher = (template: string, variables?: "safe" | "any") =>
    McpResource.template(template, { name: "t", variables }, () => Effect.succeed("")).match
  const fits = (template: string, uri: string) => matcher(template)(uri)

  it("reads the variables of every operator", () => {
    const cases: ReadonlyArray<readonly [string, string, object | undefined]> = [
      ["test://template/{id}/data", "test://template/123/data", { id: "123" }],
      ["test://template/{id}/data", "test://template/1/2/data", undefined],
      ["test://template/{id}/data", "test://template//data", undefined],
      ["test://{a}-{b}", "test://1-2-3", { a: "1-2", b: "3" }],
      ["test://{a,b}", "test://1,2", { a: "1", b: "2" }],
      ["test://{a,b}", "test://1", undefined],
      ["file://{+path}", "file:///a/b%20c.txt?x", { path: "/a/b c.txt?x" }],
      ["file:///{path*}", "file:///a", { path: "a" }],
      ["x:y{#part}", "x:y#a/b", { part: "a/b" }],
      ["x:y{#part}", "x:y", {}],
      ["x:y{.ext}", "x:y.tar", { ext: "tar" }],
      ["x:y{.a,b}", "x:y.1.2", { a: "1", b: "2" }],
      ["x:y{/a,b}", "x:y/1/2", { a: "1", b: "2" }],
      ["x:y{/a,b}", "x:y/1", { a: "1" }],
      ["x:y{/a,b}", "x:y/1/2/3", undefined],
      ["x:y{;a,b}", "x:y;a=1;b", { a: "1", b: "" }],
      ["x:y{?q,page}", "x:y?page=2&q=a%26b", { q: "a&b", page: "2" }],
      ["x:y{?q,page}", "x:y", {}],
      ["x:y{?q}", "x:y?other=1", undefined],
      ["x:y{?q}", "x:y?q=1&q=2", undefined],
      ["x:y?a=1{&q}", "x:y?a=1&q=2", { q: "2" }],
      ["x:{a}{?q}", "x:1?q=2", { a: "1", q: "2" }],
      ["x:y{?a}{&b}", "x:y?a=1&b=2", { a: "1", b: "2" }],
      ["x:y{?a}{&b}{&c}", "x:y?a=1&c=3", { a: "1", c: "3" }],
      ["x:y{/a}{/b}", "x:y/1/2", { a: "1", b: "2" }],
      ["x:y{.a}{.b}", "x:y.1.2", { a: "1", b: "2" }],
      ["x:y{;a}{;b}", "x:y;a=1;b=2", { a: "1", b: "2" }],
      ["x:{a}", "x:%E0%A4%A", undefined],
      ["x:{a}.json", "y:1.json", undefined],
      ["x:plain", "x:plain", {}]
    ]
    for (const [template, uri, expected] of cases) {
      assert.deepStrictEqual(fits(template, uri), expected, `${template} ${uri}`)
    }
  })

  it("has no resource where a variable leads out of a folder or has a NUL, unless it is for any values", () => {
    for (
      const [template, uri] of [
        ["file:///{path}", "file:///..%2F..%2Fetc%2Fpasswd"],
        ["file:///{path}", "file:///%2e%2e"],
        ["file:///{path}", "file:///a%2F%2E."],
        ["file:///{path}", "file:///a%5C..%5Cb"],
        ["file:///{path}", "file:///a%00b"],
        ["file:///{+path}", "file:///../../etc/passwd"],
        ["file:///{+path}", "file:///a/../b"],
        ["file:///a{/b,c}", "file:///a/../b"],
        ["file:///a{?b}", "file:///a?b=%2e%2e%2fc"]
      ] as const
    ) {
      assert.strictEqual(fits(template, uri), undefined, uri)
      assert.notStrictEqual(matcher(template, "any")(uri), undefined, uri)
    }
    for (const name of ["...", "a..b", "..a", ".", ".hidden", "%252e%252e"]) {
      assert.notStrictEqual(fits("file:///{path}", `file:///${name}`), undefined, name)
    }
  })

  it.effect("answers that there is no resource where its values are not safe", () =>
    Effect.gen(function*() {
      const files = McpResource.template("file:///{path}", { name: "f" }, ({ path }) => Effect.succeed(path))
      const { error } = yield* read([files], "file:///..%2F..%2Fetc%2Fpasswd")
      assert.strictEqual(error?.["code"], -32002)
    }))

  it("is refused where it cannot be read backwards", () => {
    for (const template of ["x:{a}{b}", "x:{a", "x:a}", "x:{}", "x:{a:3}", "x:{a}/{a}", "x:{a b}", "x:{+a}{+b}"]) {
      assert.throws(() => matcher(template), TypeError, undefined, template)
    }
  })

  it.effect.prop(
    "gives back what a URI was made of",
    { id: Arbitrary.schema(NonEmpty), path: Arbitrary.schema(NonEmpty), q: Arbitrary.schema(NonEmpty) },
    ({ id, path, q }) =>
      Effect.sync(() => {
        const uri = `test://a/${encodeURIComponent(id)}/b/${encodeURIComponent(path)}?q=${encodeURIComponent(q)}`
        assert.deepStrictEqual(matcher("test://a/{id}/b/{path}{?q}", "any")(uri), { id, path, q })
      })
  )

  it("takes no time to speak of for what does not fit", () => {
    const hostile = `x:${"a-".repeat(4_000)}!`
    assert.strictEqual(fits("x:{a}-{b}-{c}-{d}-{e}-{f}.", hostile), undefined)
    assert.strictEqual(fits("x:{a}", `x:${"a".repeat(9_000)}`), undefined)
  })
})
