import { assert, describe, it } from "@effect/vitest"
import * as v2 from "@modelcontextprotocol/client"
import * as v1 from "@modelcontextprotocol/sdk/client/index.js"
import { Effect, Logger } from "effect"
import { attempt, client } from "./support/foreign.ts"
import * as officialV1 from "./support/officialV1.ts"
import * as officialV2 from "./support/officialV2.ts"
import * as places from "./support/places.ts"

const asks = ["askForm", "askUrl", "askModel", "askRoots"]

const call = (name: string) => ({ name, arguments: name === "askForm" ? { message: "Who?" } : {} })

describe("a client of the official SDK that can be asked nothing", () => {
  it.live("hears so from the tool, in version 1", () =>
    Effect.gen(function*() {
      const transport = yield* Effect.flatMap(places.server, officialV1.inMemory)
      const incapable = new v1.Client(client)
      yield* Effect.acquireRelease(attempt(() => incapable.connect(transport)), () =>
        Effect.promise(() => incapable.close()))
      for (const name of asks) {
        const told = yield* attempt(() =>
          incapable.callTool(call(name))
        )
        assert.deepInclude(told, { isError: true }, name)
        assert.match(JSON.stringify(told["content"]), /the client cannot be asked by/, name)
      }
    }))

  it.live("hears what it lacks, in version 2 of the modern era", () =>
    Effect.gen(function*() {
      const url = yield* Effect.flatMap(places.server, places.hosted)
      const incapable = new v2.Client(client, { versionNegotiation: { mode: { pin: "2026-07-28" } } })
      yield* Effect.acquireRelease(attempt(() => incapable.connect(officialV2.http(url))), () =>
        Effect.promise(() => incapable.close()))
      const capabilities: Array<unknown> = []
      for (const name of asks) {
        const failed = yield* Effect.flip(attempt(() =>
          incapable.callTool(call(name))
        ))
        assert.instanceOf(failed, v2.MissingRequiredClientCapabilityError, name)
        capabilities.push(failed.requiredCapabilities)
      }
      assert.deepStrictEqual(capabilities, [
        { elicitation: { form: {} } },
        { elicitation: { url: {} } },
        { sampling: {} },
        { roots: {} }
      ])
    }).pipe(Effect.provide(Logger.layer([]))))
})
