/**
 * The laws of a caller that outlives its connections, for any implementation. A law makes the caller, opens each
 * of its connections, plays the other side, and cuts the connection.
 *
 * A law uses the clock only to give up: it waits at most `patience` of real time.
 *
 * ```ts run
 * import { Laws } from "@parley/conformance"
 * import { Reconnecting } from "@parley/peer"
 * import { Effect, Schedule } from "effect"
 *
 * const laws = Laws.ofReconnecting({
 *   name: "mine",
 *   make: (means) => Reconnecting.make({ ...means, schedule: Schedule.spaced("1 millis") })
 * }, { runs: 3 })
 *
 * // A test runner has a test for each law.
 * for (const law of laws.slice(0, 1)) {
 *   await Effect.runPromise(law.check)
 *   console.log(law.name) // => mine: ids start at 1 on every connection, and a late response settles nothing
 * }
 * ```
 *
 * @since 0.1.0
 */
import type { Caller, CallError } from "@parley/peer/Caller"
import type { ReconnectingState } from "@parley/peer/Reconnecting"
import * as Message from "@parley/protocol/Message"
import { RequestId } from "@parley/protocol/shared"
import type { Transport, TransportError } from "@parley/transport/Transport"
import * as Arbitrary from "effect/Arbitrary"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { below, elements } from "../../shared/Generators.ts"
import { type Body, firstVerdict, law, property } from "../laws.ts"
import * as Calls from "../peer/calls.ts"
import * as Interruptions from "../peer/interruptions.ts"
import * as Reconnections from "../peer/reconnections.ts"
import { patience, type Side } from "../peer/side.ts"
import type { Law, Verdict } from "./Law.ts"

/**
 * A reconnecting caller under test: how it is made.
 *
 * @category models
 * @since 0.1.0
 */
export interface Reconnected {
  /** The beginning of each law's name. */
  readonly name: string
  /**
   * A new caller, closed with the Scope. It tries again within milliseconds, for ever, and runs `onConnect` on each
   * connection before any other call.
   */
  readonly make: (means: {
    readonly open: Effect.Effect<Transport, TransportError, Scope.Scope>
    readonly onConnect: (caller: Caller) => Effect.Effect<unknown, CallError>
  }) => Effect.Effect<Caller & { readonly changes: Stream.Stream<ReconnectingState> }, unknown, Scope.Scope>
  /** How long what must come may take, 5 seconds by default. */
  readonly patience?: Duration.Input | undefined
}

/**
 * The laws of a reconnecting caller.
 *
 * @category laws
 * @since 0.1.0
 */
export const ofReconnecting = (
  subject: Reconnected,
  options: Arbitrary.CheckOptions = { runs: 25 }
): ReadonlyArray<Law> => {
  const all: Reconnections.Called = { make: subject.make, patience: subject.patience ?? patience }
  const many = <A>(name: string, values: Arbitrary.Arbitrary<A>, body: (value: A) => Body) =>
    property(`${subject.name}: ${name}`, values, body, options)
  return [
    many("ids start at 1 on every connection, and a late response settles nothing", counts, (value) => ids(all, value)),
    many("what comes first on each connection precedes every call", attempts, (value) => first(all, value)),
    many("calls that wait for a connection go out in their order, and once", attempts, (value) => order(all, value)),
    many("a connection is released before the next one is opened", attempts, (value) => released(all, value)),
    many("its states follow each other as they must", attempts, (value) => states(all, value)),
    many(
      "under any schedule of connections and cuts every call ends once, was sent once, and has its own answer or none",
      below(1_000_000),
      (seed) => Interruptions.end(all, seed)
    ),
    law(`${subject.name}: closing ends every call, with and without a connection`, closing(all))
  ]
}

const counts = Arbitrary.array(Arbitrary.map(below(4), (count) => count + 1), { minLength: 2, maxLength: 4 })

/** Whether each attempt comes to a connection, before one comes to the last connection. */
const attempts = Arbitrary.array(elements(true, false), { minLength: 1, maxLength: 6 })

const ids = (all: Reconnections.Called, value: ReadonlyArray<number>): Body =>
  Effect.gen(function*() {
    const { caller, connection, end } = yield* Reconnections.open(all)
    let before = 0
    return yield* firstVerdict(value, (count) =>
      Effect.gen(function*() {
        const side = yield* connection
        // Answers to the calls of the connection before.
        for (let id = 1; id <= before; id++) yield* side.send(Message.successText(String(id), "late"))
        const calls = yield* Effect.forEach(
          Array.from({ length: count }),
          (_, index) => Calls.begin(Effect.exit(caller.request("m", [index])))
        )
        const sent = yield* Reconnections.calls(side, count)
        const numbers = sent.map((message) => message._tag === "Request" ? RequestId.toText(message.id) : message._tag)
        const expected = Array.from({ length: count }, (_, index) => String(index + 1))
        if (numbers.join() !== expected.join()) return `the ids of a connection were ${numbers.join(", ")}`
        // The last one is never answered.
        for (const id of expected.slice(0, -1)) yield* side.send(Message.successText(id, `mine ${id}`))
        const ends = yield* Effect.forEach(calls.slice(0, -1), end)
        yield* side.close
        const last = yield* Effect.forEach(calls.slice(-1), end)
        before = count
        const wrong = ends.findIndex((exit, index) => !Exit.isSuccess(exit) || exit.value !== `mine ${index + 1}`)
        if (wrong >= 0) return `call ${wrong + 1} did not get its answer`
        return yield* firstVerdict(last, (exit) => Effect.succeed(Calls.failsWith("Disconnected", exit)))
      }))
  })

const first = (all: Reconnections.Called, opens: ReadonlyArray<boolean>): Body =>
  Effect.gen(function*() {
    const { caller, connection, end, held } = yield* Reconnections.open(all, {
      opens,
      holds: true,
      onConnect: (peer) => peer.request("hello")
    })
    const connections = opens.filter((isOpen) => isOpen).length + 1
    return yield* firstVerdict(Array.from({ length: connections }).keys(), (index) =>
      Effect.gen(function*() {
        yield* held
        const call = yield* Calls.begin(Effect.exit(caller.request("call")))
        const side = yield* connection
        const hello = yield* side.request
        if (hello.method !== "hello") return `${hello.method} was called first`
        // A call that does not wait for the answer goes out within these turns.
        yield* turns
        yield* side.send(Message.successText(RequestId.toText(hello.id), null))
        const next = yield* side.request
        if (next.method !== "call") return `${next.method} was called second`
        yield* side.send(Message.successText(RequestId.toText(next.id), index))
        const exit = yield* end(call)
        yield* side.close
        return Calls.arrives(Result.succeed(index), exit)
      }))
  })

const order = (all: Reconnections.Called, opens: ReadonlyArray<boolean>): Body =>
  Effect.gen(function*() {
    const { caller, connection, end, held } = yield* Reconnections.open(all, { opens, holds: true })
    const connections = opens.filter((isOpen) => isOpen).length + 1
    return yield* firstVerdict(Array.from({ length: connections }).keys(), () =>
      Effect.gen(function*() {
        yield* held
        const names = ["a", "b", "c", "d"]
        const calls = yield* Effect.forEach(
          names,
          (name, index) =>
            Calls.begin(Effect.exit<unknown, unknown, never>(index === 2 ? caller.notify(name) : caller.request(name)))
        )
        const side = yield* connection
        const sent = (yield* Reconnections.calls(side, names.length)).map(Reconnections.methodOf)
        if (sent.join() !== names.join()) return `${names.join(", ")} were sent as ${sent.join(", ")}`
        yield* side.close
        yield* Effect.forEach(calls, end, { discard: true })
        return undefined
      }))
  })

const released = (all: Reconnections.Called, opens: ReadonlyArray<boolean>): Body =>
  Effect.gen(function*() {
    let most = 0
    const { connection, unreleased } = yield* Reconnections.open(all, {
      opens,
      wrap: (near) =>
        Effect.sync(() => {
          most = Math.max(most, unreleased())
          return near
        })
    })
    for (const isOpen of opens) if (isOpen) yield* (yield* connection).close
    yield* connection
    return most > 1 ? `${most} connections were open at once` : undefined
  })

const states = (all: Reconnections.Called, opens: ReadonlyArray<boolean>): Body =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const { caller, connection, end } = yield* Scope.provide(Reconnections.open(all, { opens }), scope)
    const watch = yield* Calls.begin(Stream.runCollect(caller.changes))
    for (const isOpen of opens) if (isOpen) yield* cutWhenUsed(caller, yield* connection)
    yield* used(caller, yield* connection)
    yield* Effect.forkChild(Scope.close(scope, Exit.void))
    return inOrder(yield* end(watch))
  })

/** Whether states are an end of a story that may be told. */
const inOrder = (seen: ReadonlyArray<ReconnectingState>): Verdict => {
  const follows: Readonly<Record<ReconnectingState["_tag"], ReadonlyArray<ReconnectingState["_tag"]>>> = {
    Connecting: ["Connected", "Waiting", "Closed"],
    Connected: ["Waiting", "Closed"],
    Waiting: ["Connecting", "Closed"],
    Closed: []
  }
  const tags = seen.map(({ _tag }) => _tag)
  const at = tags.findIndex((tag, index) => index > 0 && !follows[tags[index - 1] ?? "Closed"].includes(tag))
  if (at > 0) return `${tags[at]} followed ${tags[at - 1]}`
  if (tags.at(-1) !== "Closed") return `the states ended with ${tags.at(-1)}`
  const numbers = seen.flatMap((state) => state._tag === "Connected" ? [state.connection] : [])
  const isCounted = numbers.every((number, index) => index === 0 || number === (numbers[index - 1] ?? 0) + 1)
  if (numbers.length === 0 || !isCounted) return `the connections were counted ${numbers.join(", ")}`
  return undefined
}

const closing = (all: Reconnections.Called): Body =>
  firstVerdict([true, false], (isConnected) =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const opens = isConnected ? [] : Array.from({ length: 10_000 }, () => false)
      const subject = yield* Scope.provide(Reconnections.open(all, { opens }), scope)
      const { caller, connection, end } = subject
      const calls = yield* Effect.forEach([1, 2], () => Calls.begin(Effect.exit(caller.request("m"))))
      if (isConnected) yield* Reconnections.calls(yield* connection, calls.length)
      yield* Effect.forkChild(Scope.close(scope, Exit.void))
      const verdict = yield* firstVerdict(calls, (call) =>
        Effect.map(end(call), (exit) => disconnectedWith(exit, isConnected)))
      const later = yield* end(yield* Calls.begin(Effect.exit(caller.request("m"))))
      return verdict ?? disconnectedWith(later, false)
    }))

const disconnectedWith = (exit: Exit.Exit<unknown, CallError>, sent: boolean): Verdict => {
  const error = Calls.errorOf(exit)
  if (error?._tag !== "Disconnected") return Calls.failsWith("Disconnected", exit)
  return error.sent === sent ? undefined : `a call that was ${sent ? "" : "not "}sent says the opposite`
}

/** A call over a connection shows that it is there for all. */
const used = (caller: Caller, side: Side): Effect.Effect<void, unknown> =>
  Effect.gen(function*() {
    yield* Effect.forkChild(Effect.exit(caller.request("use")), { startImmediately: true })
    yield* side.request
  })

const cutWhenUsed = (caller: Caller, side: Side) => Effect.andThen(used(caller, side), side.close)

/** Turns of the scheduler, in which what need not wait happens. */
const turns = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })
