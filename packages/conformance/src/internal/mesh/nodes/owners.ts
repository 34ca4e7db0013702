/** Laws of the nodes that own keys: they live, die, stand still, and lose their engine. */
import type { Lease, Mesh } from "@parley/mesh/Mesh"
import type { MeshEngine } from "@parley/mesh/MeshEngine"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Connect } from "../connections.ts"
import { type Out, refused } from "../outages.ts"
import { show } from "../texts.ts"
import { settled, type Time } from "../time.ts"
import { machine, two } from "./machines.ts"

/** A claim that is freed by hand. */
const claimed = (mesh: Mesh, key: string) =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const lease = yield* Scope.provide(mesh.claim(key), scope)
    return { lease, release: Scope.close(scope, Exit.void) }
  })

/** Claims a key as soon as it is free. */
const taken = (time: Time, mesh: Mesh, key: string) =>
  Effect.gen(function*() {
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    return yield* time.untilSuccess(`the key ${key} does not become free`, Scope.provide(mesh.claim(key), scope))
  })

const isLost = (lease: Lease) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(lease.lost, { startImmediately: true })
    yield* Effect.yieldNow
    return fiber.pollUnsafe() !== undefined
  })

export const freed = (connect: Connect) =>
  Effect.gen(function*() {
    const [{ mesh: a }, { mesh: b }] = yield* two(connect)
    const { lease, release } = yield* claimed(a, "name/1")
    for (const mesh of [a, b]) {
      if ((yield* mesh.owner("name/1")) !== a.node) return "a key was claimed, and not all know its owner"
      const error = yield* Effect.flip(Effect.scoped(mesh.claim("name/1")))
      if (error._tag !== "Claimed" || error.owner !== a.node) return `a second claim ended with ${show(error)}`
    }
    yield* release
    const next = yield* b.claim("name/1")
    if (!(next.epoch > lease.epoch)) return `the epoch ${next.epoch} followed ${lease.epoch}`
    const scope = yield* Scope.make()
    const third = yield* Scope.provide(machine(connect, { name: "c" }), scope)
    yield* third.mesh.claim("name/2")
    yield* Scope.close(scope, Exit.void)
    const owner = yield* a.owner("name/2")
    return owner === undefined ? undefined : `a node has closed, and its key is owned by ${show(owner)}`
  })

export const lives = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    // Long enough for a machine that is busy with something else.
    const [{ mesh: a }, { mesh: b }] = yield* two(connect, { lease: 3 * time.lease })
    const lease = yield* a.claim("name/1")
    for (let times = 0; times < 14; times++) {
      yield* time.wait(time.lease / 2)
      const owner = yield* b.owner("name/1")
      if (owner !== a.node) return `an owner that lives has lost its key to ${show(owner)}`
    }
    return (yield* isLost(lease)) ? "an owner that lives was told that it has lost its key" : undefined
  })

export const dies = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const [{ kill, mesh: a }, { mesh: b }] = yield* two(connect, { lease: time.lease })
    yield* a.serve("name", (_, answer) => Effect.andThen(answer("x"), Effect.never))
    const lease = yield* a.claim("name/1")
    const begun = yield* Deferred.make<void>()
    const call = Stream.runForEach(b.call({ key: "name/1" }, ""), () => Deferred.succeed(begun, undefined))
    const waiting = yield* Effect.forkChild(Effect.flip(call))
    yield* time.ended("the first text of an answer", Deferred.await(begun))
    yield* kill
    const next = yield* taken(time, b, "name/1")
    if (!(next.epoch > lease.epoch)) return `the epoch ${next.epoch} followed ${lease.epoch}`
    const exit = yield* time.until(
      "a node has died, and who waits for it is not told",
      Effect.sync(() => waiting.pollUnsafe())
    )
    const error = Exit.isSuccess(exit) ? exit.value : undefined
    return error?._tag === "OwnerGone" && error.sent && error.node === a.node
      ? undefined
      : `a node has died, and who waits for it was told ${show(exit)}`
  })

export const callerDies = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const [{ kill, mesh: a }, { mesh: b }] = yield* two(connect, { lease: time.lease })
    const [begun, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    yield* b.serve("name", () =>
      Effect.onInterrupt(
        Effect.andThen(Deferred.succeed(begun, undefined), Effect.never),
        () => Deferred.succeed(ended, undefined)
      ))
    yield* Effect.forkChild(Effect.exit(Stream.runDrain(a.call({ name: "name", node: b.node }, "x"))))
    yield* time.ended("a call", Deferred.await(begun))
    yield* kill
    yield* time.ended("who answers a node that has died", Deferred.await(ended))
    return undefined
  })

export const stoodStill = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const [{ mesh: a, pause }, { mesh: b }] = yield* two(connect, { lease: time.lease })
    const taking: Array<string> = []
    for (const mesh of [a, b]) {
      yield* mesh.serve("name", ({ text }) => Effect.sync(() => void taking.push(`${mesh.node} ${text}`)))
    }
    const [lost, kept] = [yield* a.claim("name/1"), yield* a.claim("name/2")]
    const resume = yield* pause
    const early = yield* Effect.forkChild(Effect.exit(b.send({ key: "name/1" }, "early")))
    yield* settled
    const next = yield* taken(time, b, "name/1")
    if (!(next.epoch > lost.epoch)) return `the epoch ${next.epoch} followed ${lost.epoch}`
    yield* resume
    yield* time.ended("`lost` of a key that another owns", lost.lost)
    yield* time.untilTrue(
      "a node has stood still, and a key that nobody has claimed is not its own",
      Effect.map(b.owner("name/2"), (owner) => owner === a.node)
    )
    if (yield* isLost(kept)) return "a key is lost that nobody has claimed"
    const sent = yield* time.ended("a text for a key that was lost", b.send({ key: "name/1" }, "late"))
    if (!Exit.isSuccess(sent)) return `a text for the new owner ended with ${show(sent)}`
    yield* time.until("a text for a node that stood still does not end", Effect.sync(() => early.pollUnsafe()))
    const wrong = taking.find((text) => text === `${a.node} late`)
    return wrong === undefined && taking.filter((text) => text.endsWith("early")).length <= 1
      ? undefined
      : `a text for a key that was lost was taken so: ${show(taking)}`
  })

export const engineAway = ({ begin, connect, end }: Out<MeshEngine>, time: Time) =>
  Effect.gen(function*() {
    const [{ mesh: a }, { mesh: b }] = yield* two(connect, { lease: time.lease })
    yield* b.serve("name", ({ text }) => Effect.succeed(text))
    const lease = yield* b.claim("name/1")
    yield* begin
    const asked: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown, Scope.Scope>]> = [
      ["claim", a.claim("name/2")],
      ["owner", a.owner("name/1")],
      ["send", a.send({ key: "name/1" }, "x")],
      ["call", Stream.runDrain(a.call({ key: "name/1" }, "x"))]
    ]
    for (const [what, effect] of asked) {
      const verdict = yield* refused(time, what, Effect.scoped(effect))
      if (verdict !== undefined) return verdict
    }
    yield* end
    yield* time.until(
      "the engine is back, and a call does not reach the owner of its key",
      Effect.map(
        Effect.exit(Stream.runCollect(a.call({ key: "name/1" }, "again"))),
        (exit) => Exit.isSuccess(exit) && exit.value.join() === "again" || undefined
      )
    )
    return (yield* isLost(lease)) ? "the engine was away, and an owner has lost its key" : undefined
  })
