import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, type Schema, Stream } from "effect"
import * as Scripted from "../client/scripted.ts"

const spellings = ["file:///café.txt", "FILE:///caf%c3%a9.txt", "file:///caf%C3%A9.txt"] as const

describe("a client knows a resource by every spelling of its URI", () => {
  const reading = (handlers: Parameters<typeof Scripted.modern>[0] = {}) =>
    Scripted.connect(Scripted.modern({
      "resources/read": ({ params }) =>
        Effect.succeed({
          contents: [{ uri: (params as { readonly uri: string }).uri, text: "x" }],
          ttlMs: 60_000,
          cacheScope: "private"
        }),
      ...handlers
    }))

  for (const changed of spellings) {
    it.effect(`what it keeps is forgotten when ${changed} has changed`, () =>
      Effect.gen(function*() {
        const { client, server, written } = yield* reading()
        for (const uri of spellings) yield* client.readResource(uri)
        const before = Scripted.of(written, "resources/read").length
        for (const uri of spellings) yield* client.readResource(uri)
        assert.lengthOf(Scripted.of(written, "resources/read"), before)
        yield* server.notify("notifications/resources/updated", { uri: changed })
        yield* Scripted.settle
        for (const uri of spellings) yield* client.readResource(uri)
        assert.lengthOf(Scripted.of(written, "resources/read"), before * 2)
      }))
  }

  it.effect("hosts of other case are read by themselves, for a server may tell them apart", () =>
    Effect.gen(function*() {
      const { client } = yield* reading()
      const read = (uri: string) => Effect.map(client.readResource(uri), ({ contents: [one] }) => one?.uri)
      assert.deepStrictEqual([yield* read("note://A"), yield* read("note://a")], ["note://A", "note://a"])
    }))

  it.effect("a subscription hears of changes in every spelling, and ends with the last one", () =>
    Effect.gen(function*() {
      const { client, server, written } = yield* Scripted.connect(Scripted.legacy({
        "resources/subscribe": Scripted.always({}),
        "resources/unsubscribe": Scripted.always({})
      }))
      const heard: Array<unknown> = []
      const [one, two] = yield* Effect.forEach(
        spellings.slice(0, 2),
        (uri) =>
          Effect.forkChild(
            Stream.runForEach(client.subscribe(uri), (event) => Effect.sync(() => void heard.push(event)))
          )
      )
      yield* Scripted.settle
      heard.length = 0
      yield* server.notify("notifications/resources/updated", { uri: spellings[2] })
      yield* Scripted.settle
      assert.lengthOf(heard, 2)
      if (one !== undefined) yield* Fiber.interrupt(one)
      yield* Scripted.settle
      assert.lengthOf(Scripted.of(written, "resources/unsubscribe"), 0)
      if (two !== undefined) yield* Fiber.interrupt(two)
      yield* Scripted.settle
      const ended: ReadonlyArray<Schema.Json | undefined> = Scripted.of(written, "resources/unsubscribe")
        .map(({ params }) => params?.["uri"])
      assert.deepStrictEqual(ended, spellings.slice(0, 2))
    }))
})
