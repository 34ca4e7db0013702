import { assert, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import { MessagePortTransport } from "@parley/transport"
import { Effect, Exit } from "effect"

describe("MessagePortTransport.fromWindow", () => {
  /** What a window is, as far as two of them can tell: messages carry where they come from, and go to one origin. */
  class FakeWindow extends EventTarget {
    readonly origin: string
    constructor(origin: string) {
      super()
      this.origin = origin
    }
    /** This window, as the code of another one holds it. */
    from(sender: FakeWindow): { postMessage(message: unknown, targetOrigin: string): void } {
      const known = sender.views.get(this)
      if (known !== undefined) return known
      const view = {
        postMessage: (message: unknown, targetOrigin: string) => {
          if (targetOrigin !== this.origin) return
          const data: unknown = structuredClone(message)
          const event = Object.assign(new Event("message"), {
            data,
            origin: sender.origin,
            source: sender.from(this)
          })
          queueMicrotask(() => this.dispatchEvent(event))
        }
      }
      sender.views.set(this, view)
      return view
    }
    private readonly views = new Map<FakeWindow, { postMessage(message: unknown, targetOrigin: string): void }>()
  }
  const windows = () => [new FakeWindow("https://a.test"), new FakeWindow("https://b.test")] as const
  const between = Effect.suspend(() => {
    const [a, b] = windows()
    return Effect.all([
      MessagePortTransport.fromWindow({ self: a, target: b.from(a), origin: "https://b.test" }),
      MessagePortTransport.fromWindow({ self: b, target: a.from(b), origin: "https://a.test" })
    ])
  })

  for (const law of Laws.ofTransport({ name: "windows", open: between })) it.live(law.name, () => law.check)

  it.live("promise 6: a foreign protocol is closed and runs nothing: other origins and other windows are not heard", () =>
    Effect.gen(function*() {
      const [a, b] = windows()
      const stranger = new FakeWindow("https://b.test")
      const side = yield* MessagePortTransport.fromWindow({ self: a, target: b.from(a), origin: "https://b.test" })
      a.from(stranger).postMessage("\"from another window\"", "https://a.test")
      const moved = Object.assign(new Event("message"), {
        data: "\"from another origin\"",
        origin: "https://evil.test",
        source: b.from(a)
      })
      a.dispatchEvent(moved)
      a.from(b).postMessage("\"from b\"", "https://a.test")
      assert.deepStrictEqual([...(yield* side.receive)], ["\"from b\""])
    }))

  it.live("what is sent reaches no other origin", () =>
    Effect.gen(function*() {
      const [a, b] = windows()
      const origins: Array<string> = []
      const target = { postMessage: (_: unknown, targetOrigin: string) => void origins.push(targetOrigin) }
      const side = yield* MessagePortTransport.fromWindow({ self: a, target, origin: b.origin })
      yield* side.send(["{}"])
      yield* side.close
      assert.deepStrictEqual(origins, ["https://b.test", "https://b.test", "https://b.test"])
    }))

  it.live("what no event ever has as its origin is refused", () =>
    Effect.gen(function*() {
      const [a, b] = windows()
      for (
        const origin of ["*", "/", "null", "", "https://b.test/", "https://B.test", "https://b.test:443", "b.test"]
      ) {
        const exit = yield* Effect.exit(MessagePortTransport.fromWindow({ self: a, target: b.from(a), origin }))
        assert.isTrue(Exit.isFailure(exit), origin)
      }
      for (const origin of ["http://127.0.0.1:8080", "https://b.test", "app://editor", "chrome-extension://abc"]) {
        yield* MessagePortTransport.fromWindow({ self: a, target: b.from(a), origin })
      }
    }))
})
