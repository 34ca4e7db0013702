import { assert, describe, it } from "@effect/vitest"
import { RefusalLog } from "@parley/http/shared"
import { BoundedLog } from "@parley/transport/shared"
import { Effect, Logger, References } from "effect"
import { TestClock } from "effect/testing"

const head = { address: "192.0.2.1", url: "/rpc?token=secret", header: () => undefined }

/** The lines of a log, and what writes them. */
const watching = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    lines.push(`${logLevel} ${message}`)
  })
  return { lines, watch: Effect.provideService(References.CurrentLoggers, new Set([logger])) }
}

describe("the log of refusals", () => {
  it.effect("says who was refused, where, and why, and shows no query", () =>
    Effect.gen(function*() {
      const { lines, watch } = watching()
      yield* watch(RefusalLog.make("a WebSocket")(head, 403, "because"))
      yield* watch(RefusalLog.make("a request")({ ...head, address: undefined }, 401, "because"))
      assert.deepStrictEqual(lines, [
        `Warn Refused a WebSocket from 192.0.2.1 to "/rpc" with 403: because`,
        `Warn Refused a request from an unknown address to "/rpc" with 401: because`
      ])
    }))

  it.effect("has nothing to say of a refusal without a reason, however many there are", () =>
    Effect.gen(function*() {
      const { lines, watch } = watching()
      const log = RefusalLog.make("a request")
      yield* watch(Effect.repeat(log(head, 405, undefined), { times: 20 }))
      yield* watch(log(head, 403, "because"))
      assert.deepStrictEqual(lines, [`Warn Refused a request from 192.0.2.1 to "/rpc" with 403: because`])
    }))

  it.effect("a flood cannot fill it, and what it does not say it counts", () =>
    Effect.gen(function*() {
      const { lines, watch } = watching()
      const log = RefusalLog.make("a request")
      const flood = (times: number) => watch(Effect.repeat(log(head, 403, "because"), { times: times - 1 }))
      yield* flood(10_000)
      assert.strictEqual(lines.length, BoundedLog.perMinute)
      yield* TestClock.adjust("1 minute")
      yield* flood(2)
      assert.deepStrictEqual(lines.slice(BoundedLog.perMinute), [
        `Warn Refused a request from 192.0.2.1 to "/rpc" with 403: because; 9990 more were refused since the last line`,
        `Warn Refused a request from 192.0.2.1 to "/rpc" with 403: because`
      ])
    }))

  it("names the option that lets a client in", () => {
    const headers = (all: Readonly<Record<string, string>>) => ({ url: "/", header: (name: string) => all[name] })
    assert.strictEqual(
      RefusalLog.accessReason("Origin", headers({ origin: "https://app.example" })),
      "pages of \"https://app.example\" may not call; `access.origins: [\"https://app.example\"]` would let them"
    )
    assert.strictEqual(
      RefusalLog.accessReason("Host", headers({ host: "rpc.example:4000" })),
      "it does not answer to the host \"rpc.example\"; `access.hosts: [\"rpc.example\"]` would let it"
    )
  })

  it("names no option that would let in more than that client", () => {
    const headers = (all: Readonly<Record<string, string>>) => ({ url: "/", header: (name: string) => all[name] })
    assert.strictEqual(
      RefusalLog.accessReason("Origin", headers({ origin: "null" })),
      "the origin \"null\" names no page: any sandboxed frame has it"
    )
    assert.strictEqual(
      RefusalLog.accessReason("Host", headers({ host: "127.0.0.1:4000, evil.example" })),
      "the request names no single host: \"127.0.0.1:4000, evil.example\""
    )
    assert.strictEqual(RefusalLog.accessReason("Host", headers({})), "the request names no single host: \"\"")
  })
})
