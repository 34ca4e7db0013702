/**
 * The laws of a server of JSON-RPC 2.0, for any implementation that can be reached and serves the methods of
 * `Specimen`.
 *
 * `serving` needs a connection, and `answering` only a function from text to text. A law opens connections of its
 * own. It uses the clock only to give up: it waits at most `patience` of real time.
 *
 * Some of the texts are no JSON, so the connection needs a framing that carries any text: `concatenated` does not.
 *
 * ```ts run
 * import { Laws, Specimen } from "@parley/conformance"
 * import { Peer, Router } from "@parley/peer"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * const connect = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   const router = yield* Router.make()
 *   yield* router.addAll(Specimen.handlers)
 *   yield* Peer.make(far, { router })
 *   return near
 * })
 *
 * const laws = Laws.ofServer({ name: "mine", connect }, { runs: 3 })
 *
 * // A test runner has a test for each law.
 * for (const law of laws.filter(({ name }) => name.includes("equal ids"))) {
 *   await Effect.runPromise(law.check)
 *   console.log(law.name) // => mine: requests with equal ids are both answered
 * }
 * ```
 *
 * @since 0.1.0
 */
import * as Dialect from "@parley/protocol/Dialect"
import * as Message from "@parley/protocol/Message"
import { RequestId } from "@parley/protocol/shared"
import type { Transport } from "@parley/transport/Transport"
import * as Arbitrary from "effect/Arbitrary"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { compare, corpus, type WireCase } from "../../Corpus.ts"
import * as Faulty from "../../Faulty.ts"
import { below, oneOf, params } from "../../shared/Generators.ts"
import { request, success } from "../corpus/WireCase.ts"
import { type Body, broken, firstVerdict, law, property } from "../laws.ts"
import * as Calls from "../peer/calls.ts"
import {
  answered,
  type Ask,
  askOver,
  bad,
  batches,
  cancelText,
  differ,
  differs,
  notifications,
  requests,
  several,
  strays
} from "../peer/exchanges.ts"
import * as Model from "../peer/model.ts"
import * as Sides from "../peer/side.ts"
import type { Law, Verdict } from "./Law.ts"

type Side = Sides.Side

/**
 * A connection whose input the law can end while it still reads.
 *
 * @category models
 * @since 0.1.0
 */
export interface HalfOpen {
  /** The connection. */
  readonly transport: Transport
  /** Ends the input of the server. */
  readonly endInput: Effect.Effect<void>
}

/**
 * A server under test: how it is reached.
 *
 * @category models
 * @since 0.1.0
 */
export interface Served {
  /** The beginning of each law's name. */
  readonly name: string
  /** A new connection, closed with the Scope. */
  readonly connect: Effect.Effect<Transport, unknown, Scope.Scope>
  /** Without it, the law of draining is left out. */
  readonly connectHalfOpen?: Effect.Effect<HalfOpen, unknown, Scope.Scope> | undefined
  /** How the server is told to cancel, and whether it takes batches. `Dialect.jsonRpc` by default. */
  readonly dialect?: Pick<Dialect.Dialect, "cancellation" | "batches"> | undefined
  /** The cases it must answer: all by default. Lines carry only those that are `Corpus.isLine`. */
  readonly cases?: ReadonlyArray<WireCase> | undefined
  /** How long an answer may take, 5 seconds by default. */
  readonly patience?: Duration.Input | undefined
}

/**
 * A host under test that takes a text and gives the reply, or nothing.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answering extends Pick<Served, "name" | "dialect" | "cases"> {
  /** Gives the reply to a text, `undefined` where there is none. */
  readonly answer: (text: string) => Effect.Effect<string | undefined, unknown>
}

/**
 * The laws of a server at the other end of a connection.
 *
 * @category laws
 * @since 0.1.0
 */
export const ofServer = (served: Served, options: Arbitrary.CheckOptions = { runs: 25 }): ReadonlyArray<Law> => {
  const { batches, cancellation } = served.dialect ?? Dialect.jsonRpc
  const open = Effect.map(served.connect, (transport) => Sides.make(transport, served.patience))
  const once = (name: string, body: (side: Side) => Body) => law(`${served.name}: ${name}`, Effect.flatMap(open, body))
  return [
    ...exchanges(served, Effect.map(open, askOver), options),
    once("requests with equal ids are both answered", equalIds),
    once("a slow request holds back no other", slow),
    once("notifications keep their order, and a request comes after those before it", order),
    property(
      `${served.name}: a callback reaches the caller, and its outcome comes back`,
      Arbitrary.all({ params, outcome: Calls.outcome }),
      (value) => Effect.flatMap(open, (side) => callback(side, value)),
      options
    ),
    once("callbacks within callbacks come back", nested),
    ...(batches === "refuse"
      ? []
      : [once("the replies of a batch keep their order, whichever ends first", batchOrder)]),
    ...(cancellation === undefined ? [] : [
      once("a cancelled request ends, and no other", (side) => cancel(side, cancellation)),
      once("a cancellation that names no request is ignored", (side) => cancelNothing(side, cancellation))
    ]),
    ...drains(served),
    property(
      `${served.name}: a line that delays and takes apart changes no answer`,
      Arbitrary.all({ seed: below(1_000_000), texts: several(requests) }),
      ({ seed, texts }) =>
        Effect.gen(function*() {
          const line = yield* Faulty.make(yield* served.connect, { seed, delay: 0.5, split: 0.7 })
          return yield* answered(askOver(Sides.make(line.transport, served.patience)), texts)
        }),
      options
    ),
    property(
      `${served.name}: a line that garbles and breaks harms no other connection`,
      Arbitrary.all({ seed: below(1_000_000), texts: several(requests) }),
      ({ seed, texts }) =>
        Effect.gen(function*() {
          const line = yield* Faulty.make(yield* served.connect, { seed, split: 1, garble: 0.5, cut: 0.1 })
          const [there, here] = [Sides.make(line.transport, served.patience), yield* open]
          // That this line loses texts, or its end, is no breach.
          yield* Effect.ignore(there.send(...texts, ...texts))
          return yield* answered(askOver(here), texts)
        }),
      options
    )
  ]
}

/**
 * The laws of a host that answers one text at a time.
 *
 * @category laws
 * @since 0.1.0
 */
export const ofHost = (host: Answering, options: Arbitrary.CheckOptions = { runs: 50 }): ReadonlyArray<Law> => {
  const ask: Ask = (texts) =>
    Effect.map(
      Effect.forEach(texts, host.answer, { concurrency: "unbounded" }),
      (answers) => answers.filter((answer) => answer !== undefined)
    )
  return exchanges(host, Effect.succeed(ask), options)
}

/** The laws that need no more than texts and their replies. */
const exchanges = (
  { cases = corpus, dialect, name }: Pick<Served, "name" | "dialect" | "cases">,
  open: Effect.Effect<Ask, unknown, Scope.Scope>,
  options: Arbitrary.CheckOptions
): ReadonlyArray<Law> => {
  const hasBatches = dialect?.batches !== "refuse"
  const all = (title: string, texts: Arbitrary.Arbitrary<string>) =>
    property(
      `${name}: ${title}`,
      several(texts),
      (some) => Effect.flatMap(open, (ask) => answered(ask, some)),
      options
    )
  return [
    law(`${name}: every text of the corpus is answered exactly`, Effect.flatMap(open, (ask) => exactly(ask, cases))),
    all("each request gets one reply, with its id", requests),
    all("notifications and responses get none", oneOf(notifications, strays)),
    all(
      "a bad text costs one error reply, and no more",
      oneOf(hasBatches ? bad : Arbitrary.filter(bad, isNoArray), requests)
    ),
    ...(!hasBatches
      ? []
      : [all("the replies of a batch are one text, in the order of its requests", batches)])
  ]
}

const isNoArray = (text: string): boolean => !text.trimStart().startsWith("[")

const exactly = (ask: Ask, cases: ReadonlyArray<WireCase>): Body =>
  firstVerdict(cases, (one) =>
    Effect.map(ask([one.input]), (answers) => {
      const verdict = answers.length > 1 ? `${answers.length} answers came` : compare(one, answers[0])
      return verdict === undefined ? undefined : `${one.name}: ${verdict.slice(0, 1_000)}\n(${one.section})`
    }))

/** Ends when no answer differs; an answer that is missing does. */
const expect = (side: Side, ...replies: ReadonlyArray<string | undefined>): Effect.Effect<Verdict, unknown> =>
  firstVerdict(replies, (reply) => Effect.map(side.next, (answer) => differs(reply, answer)))

const expectInAnyOrder = (side: Side, ...replies: ReadonlyArray<string>): Effect.Effect<Verdict, unknown> =>
  Effect.map(Effect.forEach(replies, () => side.next), (answers) => differ(replies, answers.filter(isText)))

const isText = (text: string | undefined): text is string => text !== undefined

/** A request of the server, which must be of this method. The text of its id. */
const calledBack = (side: Side, method: string): Effect.Effect<Message.Request, unknown> =>
  Effect.flatMap(
    side.request,
    (asked) => asked.method === method ? Effect.succeed(asked) : broken(`${asked.method} was called, not ${method}`)
  )

const answerTo = (side: Side, { id }: Message.Request, result: Schema.Json) =>
  side.send(Message.successText(RequestId.toText(id), result))

const callBack = (id: string, method: string): string => request("callback", id, JSON.stringify({ method }))

/** Ten minutes: a law that waits for it has failed. */
const sleep = (id: string): string => request("sleep", id, "[600000]")

const equalIds = (side: Side): Body =>
  Effect.gen(function*() {
    yield* side.send(callBack("1", "older"), callBack("1", "newer"))
    const both = [yield* side.request, yield* side.request]
    for (const asked of both.toReversed()) yield* answerTo(side, asked, asked.method)
    return yield* expectInAnyOrder(side, success("1", `"older"`), success("1", `"newer"`))
  })

/** A server that drains ends when these have ended: longer than an answer takes, and shorter than a test may take. */
const nap = 2_000

const slow = (side: Side): Body =>
  Effect.gen(function*() {
    const naps = Array.from({ length: 20 }, (_, index) => request("sleep", `"slow ${index}"`, `[${nap}]`))
    yield* side.send(...naps, request("echo", "1", "[1]"))
    return yield* expect(side, success("1", "[1]"))
  })

const order = (side: Side): Body =>
  Effect.gen(function*() {
    const names = Array.from({ length: 8 }, (_, index) => `note ${index}`)
    const notes = names.map((method) => request("callback", undefined, JSON.stringify({ method })))
    yield* side.send(...notes, request("get_data", "1"))
    const asked = yield* Effect.forEach(names, (name) => calledBack(side, name))
    const verdict = yield* expect(side, success("1", `["hello",5]`))
    for (const one of asked) yield* answerTo(side, one, one.method)
    return verdict
  })

const callback = (side: Side, value: { readonly params: Message.Params; readonly outcome: Calls.Outcome }): Body =>
  Effect.gen(function*() {
    yield* side.send(request("callback", `"outer"`, JSON.stringify({ method: "ask", params: value.params })))
    const asked = yield* calledBack(side, "ask")
    if (JSON.stringify(asked.params) !== JSON.stringify(value.params)) {
      return `the caller was called with ${JSON.stringify(asked.params)}`
    }
    yield* side.send(Calls.replyTo(RequestId.toText(asked.id), value.outcome))
    return yield* expect(side, Calls.replyTo(`"outer"`, value.outcome))
  })

const nested = (side: Side): Body =>
  Effect.gen(function*() {
    const levels = Array.from({ length: 32 }, (_, index) => index)
    const open: Array<Message.Request> = []
    for (const level of levels) {
      yield* side.send(callBack(String(level), `level ${level}`))
      open.push(yield* calledBack(side, `level ${level}`))
    }
    return yield* firstVerdict(levels.toReversed(), (level) =>
      Effect.gen(function*() {
        const asked = open[level]
        if (asked !== undefined) yield* answerTo(side, asked, [level])
        return yield* expect(side, success(String(level), `[${level}]`))
      }))
  })

const batchOrder = (side: Side): Body =>
  Effect.gen(function*() {
    yield* side.send(`[${callBack("1", "first")},${request("echo", "2", "[2]")},${callBack("3", "last")}]`)
    const asked = [yield* side.request, yield* side.request]
    for (const method of ["last", "first"]) {
      const one = asked.find((some) => some.method === method)
      if (one === undefined) return `${method} was not called`
      yield* answerTo(side, one, method)
    }
    return yield* expect(side, `[${success("1", `"first"`)},${success("2", "[2]")},${success("3", `"last"`)}]`)
  })

const cancel = (side: Side, cancellation: Dialect.Cancellation): Body =>
  Effect.gen(function*() {
    // The string and the number are two ids.
    yield* side.send(sleep("7"), sleep(`"7"`), cancelText(cancellation, "7"))
    const first = yield* cancelled(side, cancellation, `"7"`)
    if (first !== undefined) return first
    yield* side.send(request("echo", "8", "[8]"))
    const between = yield* expect(side, success("8", "[8]"))
    if (between !== undefined) return between
    yield* side.send(cancelText(cancellation, 7))
    const second = yield* cancelled(side, cancellation, "7")
    if (second !== undefined) return second
    yield* side.send(cancelText(cancellation, 7), request("echo", "9", "[9]"))
    return yield* expect(side, success("9", "[9]"))
  })

/** The answer to a cancelled request, if there is one. The text of the error is the server's own. */
const cancelled = (side: Side, { reply }: Dialect.Cancellation, id: string): Effect.Effect<Verdict, unknown> =>
  reply === undefined ? Effect.succeed(undefined) : Effect.map(side.next, (answer) => {
    const message = Message.decode(answer ?? "")
    const isRight = message._tag === "Success" && message.success._tag === "Failure" &&
      RequestId.toText(message.success.id) === id && message.success.error.code === reply.code
    return isRight ? undefined : `${answer ?? "nothing"} should be the error ${reply.code} for the id ${id}`
  })

const cancelNothing = (side: Side, cancellation: Dialect.Cancellation): Body =>
  Effect.gen(function*() {
    const none = [1, "1", null, true, [7], { id: 7 }].map((id) => cancelText(cancellation, id))
    const odd = [undefined, "[]", "{}", "[7]"].map((text) => request(cancellation.method, undefined, text))
    yield* side.send(callBack("7", "slow"))
    const asked = yield* calledBack(side, "slow")
    yield* side.send(...none, ...odd, request("echo", "8", "[8]"))
    const between = yield* expect(side, success("8", "[8]"))
    if (between !== undefined) return between
    yield* answerTo(side, asked, "done")
    return yield* expect(side, success("7", `"done"`))
  })

const drains = ({ connectHalfOpen, name, patience }: Served): ReadonlyArray<Law> =>
  connectHalfOpen === undefined ? [] : [
    law(
      `${name}: end of input drains: what was sent before is answered, and then it ends`,
      Effect.gen(function*() {
        const { endInput, transport } = yield* connectHalfOpen
        const side = Sides.make(transport, patience)
        // Long enough that the end of the input comes before their ends, also on a busy machine.
        const naps = ["1", "2"].map((id) => request("sleep", id, "[100]"))
        const texts = [...naps, request("echo", "3", "[3]"), "{", `[${request("sleep", "4", "[10]")}]`]
        yield* side.send(...texts)
        yield* endInput
        const expected = [success("1", "null"), success("2", "null"), Model.reply(texts[2] ?? ""), Model.reply("{")]
        const verdict = yield* expectInAnyOrder(side, ...expected.filter(isText), `[${success("4", "null")}]`)
        if (verdict !== undefined) return verdict
        const after = yield* Effect.exit(side.next)
        return after._tag === "Failure" ? undefined : `it did not end, ${after.value ?? "nothing"} came`
      })
    )
  ]
