/**
 * The laws of a caller of JSON-RPC 2.0, for any implementation of `Caller` over a `Transport`: it is made by the
 * law, which is its server.
 *
 * A law uses the clock only to give up: it waits at most `patience` of real time.
 *
 * ```ts run
 * import { Laws } from "@parley/conformance"
 * import { Peer } from "@parley/peer"
 * import { Effect } from "effect"
 *
 * const laws = Laws.ofCaller({ name: "mine", call: Peer.make }, { runs: 3 })
 * for (const { check, name } of laws.slice(0, 1)) {
 *   await Effect.runPromise(check)
 *   console.log(name) // => mine: what is sent is what was called
 * }
 * ```
 *
 * @since 0.1.0
 */
import type { Caller, CallError } from "@parley/peer/Caller"
import * as Batch from "@parley/protocol/Batch"
import * as Dialect from "@parley/protocol/Dialect"
import * as Message from "@parley/protocol/Message"
import { RequestId } from "@parley/protocol/shared"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import type { Transport } from "@parley/transport/Transport"
import * as Arbitrary from "effect/Arbitrary"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { below, elements, failure, oneOf, params, string, success } from "../../shared/Generators.ts"
import { responses } from "../corpus/responses.ts"
import { type Body, firstVerdict, law, property } from "../laws.ts"
import * as Calls from "../peer/calls.ts"
import { shuffled, shuffleKey } from "../peer/exchanges.ts"
import * as Faults from "../peer/faults.ts"
import { patience } from "../peer/side.ts"
import type { Law, Verdict } from "./Law.ts"

type Subject = Calls.Subject
type Side = Transport

/**
 * A caller under test: how it is made.
 *
 * @category models
 * @since 0.1.0
 */
export interface Called {
  /** The beginning of each law's name. */
  readonly name: string
  /** A new caller over this transport, closed with the Scope. */
  readonly call: (transport: Side) => Effect.Effect<Caller, unknown, Scope.Scope>
  /** How it cancels, and whether it sends batches. `Dialect.jsonRpc` by default. */
  readonly dialect?: Pick<Dialect.Dialect, "cancellation" | "batches"> | undefined
  /** How long a call may take to end, 5 seconds by default. */
  readonly patience?: Duration.Input | undefined
  /** The two sides of a new connection, in memory by default. */
  readonly line?: Effect.Effect<readonly [Side, Side], unknown, Scope.Scope> | undefined
}

/** The laws of a caller. @category laws @since 0.1.0 */
export const ofCaller = (called: Called, options: Arbitrary.CheckOptions = { runs: 25 }): ReadonlyArray<Law> => {
  const all: Calls.Called = {
    call: called.call,
    dialect: called.dialect ?? Dialect.jsonRpc,
    patience: called.patience ?? patience,
    line: called.line ?? MemoryTransport.makePair()
  }
  const { batches, cancellation } = all.dialect
  const open = Calls.open(all)
  const once = (name: string, body: (subject: Subject) => Body) =>
    law(`${called.name}: ${name}`, Effect.flatMap(open, body))
  const many = <A>(name: string, values: Arbitrary.Arbitrary<A>, body: (subject: Subject, value: A) => Body) =>
    property(
      `${called.name}: ${name}`,
      values,
      (value) => Effect.flatMap(open, (subject) => body(subject, value)),
      options
    )
  return [
    many("what is sent is what was called", sending, asCalled),
    many("an id is never used again", endings, uniqueIds(batches === "accept")),
    many("responses in any order reach their callers, results and errors untouched", answers, anyOrder),
    many(
      "late, unknown and malformed responses break nothing and are not answered",
      junk(batches === "accept"),
      ignores
    ),
    once("a malformed response fails the call that it names", malformed),
    ...(batches === "accept" ? [many("the results of a batch stand in the order of its members", members, batch)] : []),
    once("an interrupted call is cancelled, and leaves nothing", (subject) => interrupted(subject, cancellation)),
    once("a timeout is typed, and not early", (subject) => timesOut(subject, cancellation)),
    once("the end of the connection ends every call, waiting or later", closing),
    law(`${called.name}: the end of the caller ends every call`, released(all)),
    law(`${called.name}: a response that comes before \`send\` returns is not lost`, early(all)),
    property(
      `${called.name}: under a line that delays and takes apart every call gets its answer`,
      below(1_000_000),
      (seed) => Faults.arrive(all, seed),
      options
    ),
    property(
      `${called.name}: under a line that reorders responses every call gets its own answer`,
      below(1_000_000),
      (seed) => Faults.reordered(all, seed),
      options
    ),
    property(
      `${called.name}: under a line that garbles and breaks every call ends, and none with the answer of another`,
      below(1_000_000),
      (seed) => Faults.end(all, seed),
      options
    )
  ]
}

const sending = Arbitrary.all({
  method: string,
  params: oneOf<Message.Params | undefined>(Arbitrary.Constant(undefined), params)
})

const asCalled = ({ caller, side }: Subject, value: Sent): Body =>
  Effect.gen(function*() {
    yield* caller.notify(value.method, value.params)
    yield* Calls.begin(caller.request(value.method, value.params))
    return yield* firstVerdict(["Notification", "Request"], (tag) =>
      Effect.map(side.message, (message) => {
        const sent = message._tag === "Request" || message._tag === "Notification" ? message : undefined
        const isSame = message._tag === tag && sent?.method === value.method &&
          JSON.stringify(sent.params) === JSON.stringify(value.params)
        return isSame ? undefined : `${JSON.stringify(message)} was sent as ${tag}`
      }))
  })

interface Sent {
  readonly method: string
  readonly params: Message.Params | undefined
}

const endings = Arbitrary.array(elements("result", "error", "malformed", "interrupt", "batch"), {
  minLength: 2,
  maxLength: 12
})

const uniqueIds = (batches: boolean) => ({ caller, end, request, requests, side }: Subject, value: Endings): Body =>
  Effect.gen(function*() {
    const seen: Array<string> = []
    for (const ending of value) {
      if (ending === "batch" && batches) {
        const call = yield* Calls.begin(caller.batch([{ method: "a" }, { method: "b" }]))
        const asked = yield* requests(2)
        seen.push(...asked.map(({ id }) => id))
        yield* side.send(`[${asked.map(({ id }) => Message.successText(id, null)).join(",")}]`)
        yield* end(call)
        continue
      }
      const call = yield* Calls.begin(caller.request("m"))
      const { id } = yield* request
      seen.push(id)
      if (ending === "interrupt") yield* Fiber.interrupt(call)
      if (ending === "malformed") yield* side.send(`{"jsonrpc":"2.0","id":${id},"result":1,"error":1}`)
      if (ending === "error") yield* side.send(Message.failureText(id, { code: 1, message: "no" }))
      if (ending === "result" || ending === "batch") yield* side.send(Message.successText(id, null))
      yield* end(call)
    }
    return new Set(seen).size === seen.length ? undefined : `the ids were ${seen.join(", ")}`
  })

type Endings = ReadonlyArray<"result" | "error" | "malformed" | "interrupt" | "batch">

const answers = Arbitrary.array(Arbitrary.all({ reply: Calls.outcome, key: shuffleKey }), {
  minLength: 1,
  maxLength: 12
})

interface Answer {
  readonly reply: Calls.Outcome
  readonly key: number
}

const anyOrder = ({ caller, end, requests, side }: Subject, value: ReadonlyArray<Answer>): Body =>
  Effect.gen(function*() {
    const calls = yield* Effect.forEach(value, (_, index) => Calls.begin(caller.request(`call ${index}`, [index])))
    const asked = yield* requests(value.length)
    const texts = value.map(({ reply }, index) =>
      Calls.replyTo(asked.find(({ method }) => method === `call ${index}`)?.id ?? "null", reply)
    )
    yield* Effect.forEach(shuffled(texts, value.map(({ key }) => key)), (text) => side.send(text))
    return yield* firstVerdict(
      calls.entries(),
      ([index, call]) =>
        Effect.map(end(call), (exit) => Calls.arrives(value[index]?.reply ?? Result.succeed(null), exit))
    )
  })

/** Responses to nobody, and what is no response but looks like one. */
const junk = (batches: boolean): Arbitrary.Arbitrary<ReadonlyArray<string>> => {
  const single = oneOf(
    Arbitrary.map(below(responses.length), (index) => responses[index]?.input ?? ""),
    Arbitrary.map(oneOf<Message.Message>(success, failure), Message.encodeUnsafe)
  )
  const several = Arbitrary.map(Arbitrary.all([single, single]), Batch.join)
  return Arbitrary.array(batches ? oneOf(single, several) : single, { minLength: 1, maxLength: 8 })
}

const ignores = ({ caller, end, request, side }: Subject, texts: ReadonlyArray<string>): Body =>
  Effect.gen(function*() {
    const call = (method: string) => Calls.begin(caller.request(method))
    const before = yield* call("before")
    const first = yield* request
    yield* side.send(Message.successText(first.id, 1))
    yield* end(before)
    const during = yield* call("during")
    const second = yield* request
    // Late ones, and none that names the call that waits.
    yield* side.send(Message.successText(first.id, "late"), `{"jsonrpc":"2.0","id":${first.id},"result":1,"error":1}`)
    for (const text of texts) if (!names(text, second.id)) yield* side.send(text)
    const after = yield* call("after")
    const third = yield* request
    if (third.method !== "after") return `${third.method} was called`
    yield* side.send(Message.successText(third.id, 3), Message.successText(second.id, 2))
    const verdict = Calls.arrives(Result.succeed(3), yield* end(after)) ??
      Calls.arrives(Result.succeed(2), yield* end(during))
    if (verdict !== undefined) return verdict
    // An answer to what came before the last responses has been written by now.
    const last = yield* call("last")
    yield* side.send(Message.successText((yield* request).id, 4))
    return Calls.arrives(Result.succeed(4), yield* end(last))
  })

/** Whether a text holds a response to this id, well-formed or not. */
const names = (text: string, id: string): boolean => {
  const batch = Batch.decode(text)
  return (Batch.isMembers(batch) ? batch : [batch]).some((member) => {
    const named = Result.isSuccess(member) ? member.success : member.failure
    return "id" in named && RequestId.toText(named.id) === id
  })
}

const malformed = ({ caller, end, request, side }: Subject): Body =>
  firstVerdict(
    [
      `"result":1,"error":{"code":1,"message":"m"}`,
      `"error":null`,
      `"error":{"code":"1","message":"m"}`,
      `"error":{"code":1}`
    ],
    (rest) =>
      Effect.gen(function*() {
        const call = yield* Calls.begin(caller.request("m"))
        yield* side.send(`{"jsonrpc":"2.0","id":${(yield* request).id},${rest}}`)
        return Calls.failsWith("InvalidResponse", yield* end(call))
      })
  )

const members = Arbitrary.array(
  Arbitrary.all({ reply: Calls.outcome, key: shuffleKey, params, notification: elements(false, false, true) }),
  { minLength: 1, maxLength: 8 }
)

interface Member extends Answer {
  readonly params: Message.Params
  readonly notification: boolean
}

const batch = ({ caller, end, side }: Subject, value: ReadonlyArray<Member>): Body =>
  Effect.gen(function*() {
    const calls = value.map(({ notification, params }, index) => ({ method: `call ${index}`, params, notification }))
    const call = yield* Calls.begin(caller.batch(calls))
    const text = yield* side.text
    const decoded = Batch.decode(text)
    const sent = Batch.isMembers(decoded) ? decoded : [decoded]
    const ids = sent.map((member) =>
      Result.isSuccess(member) && member.success._tag === "Request" ? RequestId.toText(member.success.id) : undefined
    )
    const isSame = sent.length === calls.length && calls.every(({ method, notification, params }, index) => {
      const member = sent[index]
      const one = member !== undefined && Result.isSuccess(member) ? member.success : undefined
      return one?._tag === (notification ? "Notification" : "Request") && one.method === method &&
        JSON.stringify(one.params) === JSON.stringify(params)
    })
    if (!isSame) return `a batch of ${JSON.stringify(calls)} was sent as ${text}`
    const replies = value.map(({ reply }, index) => {
      const id = ids[index]
      return id === undefined ? undefined : Calls.replyTo(id, reply)
    })
    const order = shuffled(replies, value.map(({ key }) => key)).filter((reply) => reply !== undefined)
    if (order.length > 0) yield* side.send(`[${order.join(",")}]`)
    const exit = yield* end(call)
    if (Exit.isFailure(exit)) return "the batch failed"
    return yield* firstVerdict(value.entries(), ([index, { notification, reply }]) => {
      const result = exit.value[index]
      if (notification || result === undefined) {
        return Effect.succeed<Verdict>(
          notification === (result === undefined) ? undefined : `member ${index} is in the place of another`
        )
      }
      return Effect.succeed(
        Calls.arrives(reply, Result.match(result, { onFailure: Exit.fail, onSuccess: Exit.succeed }))
      )
    })
  })

/** Checks what a call sends when it is given up, and that nothing of it is left. */
const givenUp = (
  { caller, end, request, side }: Subject,
  cancellation: Dialect.Cancellation | undefined,
  id: string
): Effect.Effect<Verdict, unknown> =>
  Effect.gen(function*() {
    if (cancellation !== undefined) {
      const { member, method } = cancellation
      const told = yield* side.message
      const isRight = told._tag === "Notification" && told.method === method &&
        JSON.stringify(told.params) === `{${JSON.stringify(member)}:${id}}`
      if (!isRight) return `${JSON.stringify(told)} was sent to cancel ${id}`
    }
    yield* side.send(Message.successText(id, "late"))
    const call = yield* Calls.begin(caller.request("next"))
    yield* side.send(Message.successText((yield* request).id, "in time"))
    return Calls.arrives(Result.succeed("in time"), yield* end(call))
  })

const interrupted = (subject: Subject, cancellation: Dialect.Cancellation | undefined): Body =>
  Effect.gen(function*() {
    const call = yield* Calls.begin(subject.caller.request("m"))
    const { id } = yield* subject.request
    yield* Effect.forkChild(Fiber.interrupt(call))
    const exit = yield* subject.end(call)
    if (!Exit.hasInterrupts(exit)) return "the interruption became something else"
    return yield* givenUp(subject, cancellation, id)
  })

const timesOut = (subject: Subject, cancellation: Dialect.Cancellation | undefined): Body =>
  Effect.gen(function*() {
    const began = yield* Clock.monotonicTimeNanos
    const call = yield* Calls.begin(subject.caller.request("slow", undefined, { timeout: "100 millis" }))
    const { id } = yield* subject.request
    const exit = yield* subject.end(call)
    const took = Number((yield* Clock.monotonicTimeNanos) - began) / 1e6
    const error = Calls.errorOf(exit)
    if (error?._tag !== "RequestTimeout") return Calls.failsWith("RequestTimeout", exit)
    if (took < 100) return `the call timed out after ${took} of 100 ms`
    const { milliseconds, method } = error
    if (method !== "slow" || String(error.id) !== id || milliseconds !== 100) {
      return `the timeout of slow (id ${id}) after 100 ms says ${method} (id ${error.id}) after ${milliseconds} ms`
    }
    return yield* givenUp(subject, cancellation, id)
  })

const closing = ({ caller, end, requests, side }: Subject): Body =>
  Effect.gen(function*() {
    const calls = yield* Effect.forEach([1, 2, 3], () => Calls.begin(caller.request("m")))
    yield* requests(calls.length)
    yield* side.close
    const waiting = yield* firstVerdict(calls, (call) => Effect.map(end(call), (exit) => disconnected(exit, true)))
    const later = yield* end(yield* Calls.begin(caller.request("m")))
    return waiting ?? disconnected(later, false)
  })

const disconnected = (exit: Exit.Exit<unknown, CallError>, sent: boolean): Verdict => {
  const error = Calls.errorOf(exit)
  if (error?._tag !== "Disconnected") return Calls.failsWith("Disconnected", exit)
  return error.sent === sent ? undefined : `a call that was ${sent ? "" : "not "}sent says the opposite`
}

const released = (all: Calls.Called): Body =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const { caller, end, requests } = yield* Scope.provide(Calls.open(all), scope)
    const calls = yield* Effect.forEach([1, 2, 3], () => Calls.begin(caller.request("m")))
    yield* requests(calls.length)
    yield* Effect.forkChild(Scope.close(scope, Exit.void))
    return yield* firstVerdict(calls, (call) => Effect.map(end(call), (exit) => Calls.failsWith("Disconnected", exit)))
  })

/** A server so near that its answer is there before the caller's `send` has returned. */
const early = (all: Calls.Called): Body =>
  Effect.gen(function*() {
    const { caller, end } = yield* Calls.open(all, (near, far) =>
      Effect.succeed({
        ...near,
        send: ([text]) => {
          const message = Message.decode(text)
          if (Result.isFailure(message) || message.success._tag !== "Request") return Effect.void
          const answer = Message.successText(RequestId.toText(message.success.id), "at once")
          return Effect.andThen(far.send([answer]), Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow))
        }
      }))
    const exit = yield* end(yield* Calls.begin(caller.request("m")))
    return Calls.arrives(Result.succeed("at once"), exit)
  })
