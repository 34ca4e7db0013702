import * as Conform from "@parley/conform/Conform"
import * as Recording from "@parley/conform/Recording"
import * as Suite from "@parley/conform/Suite"
import { transportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Examples } from "../../../tools/errors/Example.ts"

export default {
  NotApplicable: {
    names: { reason: "the server declares no resources" },
    make: () => new Suite.NotApplicable({ reason: "the server declares no resources" })
  },
  RecordingTooLarge: {
    names: { limit: "10 characters" },
    make: () =>
      Effect.runPromiseExit(Recording.read(
        Stream.make(new TextEncoder().encode(
          `{"time":"2026-01-31T12:34:57.000Z","connection":1,"direction":"sent","text":"more than ten characters"}\n`
        )),
        { limit: 10 }
      ))
  },
  Unreachable: {
    names: { reason: "no such thing" },
    make: (foreign) =>
      Effect.runPromiseExit(Effect.scoped(Conform.run({
        _tag: "Duplex",
        name: "nowhere",
        isProcess: false,
        connect: Effect.fail(transportError({ _tag: "Open", cause: new Error(foreign) }))
      }, { protocol: "jsonrpc" })))
  },
  Unverified: {
    names: { reason: "no such thing" },
    make: (foreign) => new Suite.Unverified({ reason: foreign })
  }
} satisfies Examples
