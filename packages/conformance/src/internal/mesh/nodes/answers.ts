/** Laws of texts that nodes send to each other, and of those that answer them. */
import { type Mesh, Overloaded, type SendError } from "@parley/mesh/Mesh"
import type * as MeshNode from "@parley/mesh/MeshNode"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { first } from "../../laws.ts"
import type { Connect } from "../connections.ts"
import { differ, show, texts } from "../texts.ts"
import { settled, type Time } from "../time.ts"
import { machine, two } from "./machines.ts"

/** The tag of the error that an effect has to end with. */
const tagOf = <A, R>(time: Time, what: string, effect: Effect.Effect<A, SendError, R>) =>
  Effect.map(time.ended(what, Effect.flip(effect)), (exit) => Exit.isSuccess(exit) ? exit.value : undefined)

export const reached = (connect: Connect) =>
  Effect.gen(function*() {
    const [{ mesh: a }, { mesh: b }] = yield* two(connect)
    for (const mesh of [a, b]) {
      yield* mesh.serve("name", ({ from, text }, answer) =>
        Effect.as(Effect.andThen(answer(text), answer(from)), mesh.node))
    }
    yield* b.claim("name/1")
    for (const from of [a, b]) {
      for (const to of [{ key: "name/1" }, { name: "name", node: b.node }]) {
        const answer = yield* Stream.runCollect(from.call(to, "x"))
        const verdict = differ(["x", from.node, b.node], answer)
        if (verdict !== undefined) {
          return verdict
        }
      }
    }
    for (const text of texts) {
      const [back = ""] = yield* Stream.runCollect(a.call({ key: "name/1" }, text))
      if (back !== text) {
        return `the text ${show(text)} was answered with ${show(back)}`
      }
    }
    return undefined
  })

export const nobody = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const [{ mesh: a }, { kill, mesh: b }] = yield* two(connect, { lease: time.lease })
    yield* a.serve("other", () => Effect.void)
    const noOwner = [
      a.send({ key: "name/1" }, "x"),
      a.send({ name: "name" }, "x"),
      a.send({ name: "name", node: b.node }, "x"),
      Stream.runDrain(a.call({ key: "name/1" }, "x"))
    ]
    yield* Effect.scoped(b.claim("name/1"))
    for (const effect of noOwner) {
      const error = yield* tagOf(time, "a text that nobody takes", effect)
      if (error?._tag !== "NoOwner") return `a text that nobody takes ended with ${show(error)}`
    }
    yield* b.claim("name/2")
    const unserved = yield* tagOf(time, "a text for an owner that does not serve it", a.send({ key: "name/2" }, "x"))
    if (unserved?._tag !== "NoOwner") return `a text for an owner that does not serve it ended with ${show(unserved)}`
    yield* kill
    const dead = yield* tagOf(time, "a text for a node that has died", a.send({ key: "name/2" }, "x"))
    return dead?._tag === "OwnerGone" || dead?._tag === "NoOwner"
      ? undefined
      : `a text for a node that has died ended with ${show(dead)}`
  })

/** A node that counts to what it is sent, in texts of a certain length; how far it is, and how it has ended. */
const counting = (connect: Connect, options: MeshNode.LocalMeshNodeOptions = {}) =>
  Effect.gen(function*() {
    const [{ mesh: a }, { mesh: b }] = yield* two(connect, options)
    const state = { answered: 0, ended: yield* Deferred.make<Exit.Exit<unknown>>() }
    yield* b.serve("name", ({ text }, answer) =>
      Effect.forEach(numbers(Number(text)), (n) =>
        Effect.andThen(
          answer(n),
          Effect.sync(() => void state.answered++)
        )).pipe(
          Effect.as("last"),
          Effect.onExit((exit) => Deferred.succeed(state.ended, exit))
        ))
    return { call: (count: number) => a.call({ name: "name", node: b.node }, `${count}`), state }
  })

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${n}`.padStart(10))

export const paced = (connect: Connect) =>
  Effect.gen(function*() {
    const { call, state } = yield* counting(connect, { window: 2_000 })
    const read: Array<string> = []
    let most = 0
    yield* Stream.runForEach(call(300), (text) =>
      Effect.sync(() => {
        most = Math.max(most, state.answered - read.length)
        read.push(text)
      }).pipe(Effect.andThen(settled)))
    // A window of texts of 266, and as many that its reader has taken together.
    if (most > 20) return `its reader was slow, and ${most} texts were answered before it read them`
    return differ([...numbers(300), "last"], read)
  })

export const left = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const { call, state } = yield* counting(connect, { window: 2_000 })
    yield* Stream.runDrain(Stream.take(call(500), 3))
    const exit = yield* time.ended("who answers a reader that has left", Deferred.await(state.ended))
    return Exit.isSuccess(exit) && Exit.hasInterrupts(exit.value)
      ? undefined
      : `who answers a reader that has left ended with ${show(exit)}`
  })

export const died = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const [{ mesh: a }, { mesh: b }] = yield* two(connect)
    yield* b.serve("name", (_, answer) => Effect.andThen(answer("x"), Effect.interrupt))
    const seen: Array<string> = []
    const call = Stream.runForEach(a.call({ name: "name", node: b.node }, ""), (text) =>
      Effect.sync(() => void seen.push(text)))
    const error = yield* tagOf(time, "a call whose handler has died", call)
    return error?._tag === "OwnerGone" && error.sent && seen.join() === "x"
      ? undefined
      : `a call whose handler has died gave ${show(seen)} and ended with ${show(error)}`
  })

export const many = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const [{ mesh: a }, { mesh: b }] = yield* two(connect, { window: 600 })
    let running = 0
    yield* b.serve("name", ({ text }, answer) =>
      Effect.suspend(() => {
        running++
        return Effect.ensuring(
          Effect.as(Effect.forEach(numbers(Number(text)), answer, { discard: true }), "last"),
          Effect.sync(() => void running--)
        )
      }))
    const calls = Array.from({ length: 60 }, (_, n) => ({ count: n % 12, leaves: n % 7, isSlow: n % 3 === 0 }))
    const seen = yield* Effect.forEach(calls, ({ count, isSlow, leaves }) =>
      a.call({ name: "name", node: b.node }, `${count}`).pipe(
        Stream.take(leaves + 1),
        Stream.tap(() =>
          isSlow ? settled : Effect.void
        ),
        Stream.runCollect
      ), { concurrency: "unbounded" })
    for (const [index, { count, leaves }] of calls.entries()) {
      const verdict = differ([...numbers(count), "last"].slice(0, leaves + 1), seen[index] ?? [])
      if (verdict !== undefined) {
        return `of call ${index}, ${verdict}`
      }
    }
    yield* time.untilTrue(
      "all readers have left, and some handlers run",
      Effect.sync(() =>
        running === 0
      )
    )
    return undefined
  })

/** Calls at once whose answers are as many texts, and large. */
const largeAnswers = (a: Mesh, b: Mesh, time: Time) =>
  Effect.gen(function*() {
    const large = (n: number) => `${n} `.padEnd(60_000, "x")
    yield* b.serve("name", ({ text }, answer) => Effect.as(answer(large(Number(text))), large(Number(text) + 1)))
    const calls = Effect.forEach(
      Array.from({ length: 30 }, (_, n) => n),
      (n) => Stream.runCollect(a.call({ name: "name", node: b.node }, `${n}`)),
      { concurrency: "unbounded" }
    )
    const exit = yield* time.ended("some of 30 calls at once", calls)
    if (Exit.isFailure(exit)) return `of 30 calls at once whose node lives, one ended with ${show(exit)}`
    return first(exit.value.map((answers, n) => differ([large(n), large(n + 1)], answers)))
  })

export const waits = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const [{ mesh: a }, { mesh: b }] = yield* two(connect)
    return yield* largeAnswers(a, b, time)
  })

/** An engine that refuses each text of a node twice before it takes it: as one does that is full or away for a moment. */
const reluctant = (connect: Connect): Connect =>
  Effect.map(connect, (engine) => {
    const refusals = new Map<string, number>()
    return {
      ...engine,
      publish: (node, to, text) =>
        Effect.suspend(() => {
          const times = refusals.get(text) ?? 0
          refusals.set(text, times + 1)
          return times < 2
            ? Effect.fail(new Overloaded({ key: to, reason: "it is full" }))
            : engine.publish(node, to, text)
        })
    }
  })

export const refusedForNow = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const { mesh: a } = yield* machine(connect, { name: "a", lease: 3 * time.lease })
    const { mesh: b } = yield* machine(reluctant(connect), { name: "b", lease: 3 * time.lease })
    return yield* largeAnswers(a, b, time)
  })

export const ordered = (connect: Connect) =>
  Effect.gen(function*() {
    const [{ mesh: a }, { mesh: b }] = yield* two(connect)
    const seen: Array<string> = []
    yield* b.serve("name", ({ text }) => Effect.sync(() => void seen.push(text)))
    yield* Effect.forEach(numbers(100), (n) => a.send({ name: "name", node: b.node }, n), { concurrency: "unbounded" })
    return differ(numbers(100), seen)
  })

export const full = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const [{ mesh: a }, { mesh: b }] = yield* two(connect, { inbox: 100 })
    const goOn = yield* Deferred.make<void>()
    yield* b.serve("name", () => Deferred.await(goOn))
    const send = (length: number) => a.send({ name: "name", node: b.node }, "x".repeat(length))
    yield* send(10_000)
    const error = yield* tagOf(time, "a text beyond the inbox", send(1))
    if (error?._tag !== "Overloaded") return `a text beyond the inbox ended with ${show(error)}`
    yield* Deferred.succeed(goOn, undefined)
    yield* time.until(
      "the inbox is empty, and takes no text",
      Effect.exit(send(50)).pipe(
        Effect.map((exit) => Exit.isSuccess(exit) || undefined)
      )
    )
    return undefined
  })

export const grouped = (connect: Connect, time: Time) =>
  Effect.gen(function*() {
    const machines = yield* Effect.forEach(["a", "b", "c"], (name) => machine(connect, { name }))
    const meshes = machines.map(({ mesh }) => mesh)
    const heard: Array<string> = []
    const serve = (mesh: Mesh) =>
      mesh.serve("news", ({ text }) => Effect.sync(() => void heard.push(`${mesh.node} ${text}`)))
    yield* Effect.forEach(meshes, serve)
    const [first, ...others] = meshes
    const sending = yield* Effect.forkChild(first!.send({ name: "news" }, "x"))
    const sent = yield* time.ended("a text for a group", Fiber.join(sending))
    if (!Exit.isSuccess(sent)) return `a text for a group ended with ${show(sent)}`
    return differ(others.map(({ node }) => `${node} x`).toSorted(), heard.toSorted())
  })
