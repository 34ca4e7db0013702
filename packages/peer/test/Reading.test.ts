/** How a peer reads: without fibers where it can, in turns, and never past a wrapping. */
import { assert, describe, it } from "@effect/vitest"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Direct } from "@parley/transport/shared"
import type { Received, Transport } from "@parley/transport/Transport"
import { Effect, Exit, Fiber } from "effect"
import * as Peer from "../src/Peer.ts"
import { notification, request, routerOf, settle, success } from "./wire.ts"

const echo = routerOf({ echo: (call) => Effect.succeed(call.params ?? null), note: () => Effect.void })

/** A transport that says what it is told to, and notes for each step whether a fiber takes it. */
const noting = () => {
  const steps: Array<string> = []
  const note = (step: string) => void steps.push(Fiber.getCurrent() === undefined ? step : `${step} in a fiber`)
  let resume: Parameters<Direct.Take>[0] | undefined
  const transport: Transport = {
    receive: Direct.receive((resumed) => {
      note("receive")
      resume = resumed
      return () => note("stop")
    }),
    send: Direct.send((texts) => {
      for (const text of texts) note(text)
      return Exit.void
    }),
    close: Effect.void
  }
  return { steps, transport, say: (text: string) => resume?.(Exit.succeed([text])) }
}

/** Outside of any fiber. */
const later = (run: () => void) => Effect.promise(() => Promise.resolve().then(run))

/** What a peer writes, and how much it has taken by then, when it hears 64 requests at once that are answered with so many characters. */
const written = (size: number) =>
  Effect.gen(function*() {
    const steps: Array<string> = []
    let taken = 0
    const [near, far] = yield* MemoryTransport.makePair()
    yield* Peer.make({
      ...far,
      send: (texts) =>
        Effect.suspend(() => {
          steps.push(`${taken} taken`, `${texts.length} sent`)
          return far.send(texts)
        })
    }, { router: yield* routerOf({ much: () => Effect.sync(() => `${taken++}`.padEnd(size)) }) })
    const [first, ...rest] = Array.from({ length: 64 }, (_, id) => request(id, "much"))
    yield* near.send([first ?? "", ...rest])
    return steps
  })

describe("a peer", () => {
  it.effect("reads and writes without a fiber where its transport needs none", () =>
    Effect.gen(function*() {
      const { say, steps, transport } = noting()
      const peer = yield* Peer.make(transport, { router: yield* echo })
      steps.length = 0
      yield* later(() => say(request(1, "echo", [1])))
      assert.deepStrictEqual(steps, [success(1, [1]), "receive"])
      yield* peer.shutdown
      assert.isTrue(steps.at(-1)?.startsWith("stop"))
    }))

  it.effect("reads through a wrapping, and never past it", () =>
    Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      const seen: Array<Received> = []
      const sent: Array<string> = []
      yield* Peer.make({
        ...far,
        receive: Effect.tap(far.receive, (texts) => Effect.sync(() => seen.push(...texts))),
        send: (texts) => Effect.tap(far.send(texts), () => Effect.sync(() => sent.push(...texts)))
      }, { router: yield* echo })
      yield* near.send([request(1, "echo", [1])])
      assert.deepStrictEqual([...(yield* near.receive)], [success(1, [1])])
      assert.deepStrictEqual([seen, sent], [[request(1, "echo", [1])], [success(1, [1])]])
    }))

  it.effect("speaks over a transport that is a class", () =>
    Effect.gen(function*() {
      const sent: Array<string> = []
      class Wire {
        readonly receive = Effect.never
        readonly close = Effect.void
        readonly sent = sent
        send(texts: ReadonlyArray<string>) {
          return Effect.sync(() => void this.sent.push(...texts))
        }
      }
      const peer = yield* Peer.make(new Wire())
      yield* peer.notify("note")
      yield* settle
      assert.deepStrictEqual(sent, [notification("note")])
    }))

  it.effect("writes what the first half of much had to say before it takes the second", () =>
    Effect.gen(function*() {
      const steps = yield* written(200)
      const first = steps.findIndex((step) => step.endsWith("sent"))
      assert.isBelow(first, steps.indexOf("64 taken"))
      const sent = steps.filter((step) => step.endsWith("sent")).map((step) => Number.parseInt(step))
      assert.strictEqual(sent.reduce((sum, count) => sum + count, 0), 64)
    }))

  it.effect("writes in one go what little had to say", () =>
    Effect.gen(function*() {
      const steps = yield* written(20)
      assert.deepStrictEqual(steps, ["64 taken", "64 sent"])
    }))

  it.effect("promise 12: the receive loop waits for nothing but the transport, and for its turn where texts keep coming", () =>
    Effect.gen(function*() {
      let texts = 0
      yield* Peer.make({
        receive: Direct.receive((resume) => {
          if (texts < 5_000) resume(Exit.succeed([notification("note", [texts++])]))
          return undefined
        }),
        send: () => Effect.void,
        close: Effect.void
      }, { router: yield* echo })
      assert.strictEqual(texts, 1_024)
      yield* settle
      assert.strictEqual(texts, 5_000)
    }))

  it.effect("promise 9: closing ends every call with Disconnected, where what is to be read is thrown", () =>
    Effect.gen(function*() {
      let say: (() => void) | undefined
      let reads = 0
      const peer = yield* Peer.make({
        receive: Direct.receive((resume) => {
          if (reads++ > 0) throw new Error("the wire is broken")
          say = () => resume(Exit.succeed([notification("note")]))
          return undefined
        }),
        send: () => Effect.void,
        close: Effect.void
      }, { router: yield* echo })
      const call = yield* Effect.forkChild(Effect.flip(peer.request("m")), { startImmediately: true })
      say?.()
      assert.deepInclude(yield* Fiber.join(call), { _tag: "Disconnected" })
      assert.deepInclude(yield* peer.closed, { _tag: "Lost", cause: new Error("the wire is broken") })
    }))

  it.effect("promise 9: closing ends every call with Disconnected, where what its router says of a text is thrown", () =>
    Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      const peer = yield* Peer.make(far, {
        router: {
          handlerOf: () => () => Effect.never,
          isConcurrent: () => {
            throw new Error("no router")
          }
        },
        limits: { drain: 0 }
      })
      const call = yield* Effect.forkChild(Effect.flip(peer.request("m")), { startImmediately: true })
      yield* near.send([notification("note"), request(1, "waits for its turn")])
      assert.deepInclude(yield* Fiber.join(call), { _tag: "Disconnected" })
      assert.deepInclude(yield* peer.disconnected, { _tag: "Lost", cause: new Error("no router") })
    }))
})
