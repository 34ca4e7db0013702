/** One row of the table of bad responses: a wire, with all reasons and kinds. */
import { assert } from "@effect/vitest"
import { type Caller, Router } from "@parley/peer"
import { Exchange } from "@parley/peer/shared"
import { Deferred, Effect, References, type Scope } from "effect"
import { frame, reasons, type Spoil, spoilt } from "./messages.ts"

/** The responses to the first call, whose id can be read. */
export const named: Readonly<Record<string, string>> = {
  "a result": `{"jsonrpc":"2.0","id":1,"result":"~"}`,
  "a result with its id behind": `{"jsonrpc":"2.0","result":["~",{"id":2}],"id":1}`,
  "an error": `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"~"}}`
}

/** What answers the first call without its id. Only the exchange that it comes by tells whose answer it is. */
export const unnamed: Readonly<Record<string, string>> = {
  "a result without an id": `{"jsonrpc":"2.0","result":"~"}`,
  "a result, spoilt in its id": `{"jsonrpc":"2.0","id":"~","result":1}`,
  "a batch of responses": `[{"jsonrpc":"2.0","id":1,"result":"~"}]`,
  "nothing that is known": `{"~":7}`
}

/** What an error says of a response that was bad for this reason. */
export const rules: Readonly<Record<Spoil, RegExp>> = {
  "no UTF-8": /InvalidUtf8|not? UTF-8/,
  "no UTF-8 but a surrogate": /InvalidUtf8|not? UTF-8/,
  "no JSON but a tab": /SyntaxError/,
  "too large": /limit `frame` of 400/,
  "another charset": /InvalidUtf8/
}

/** Answers the first call with a bad response, and any other with a good one. */
export interface Answering {
  readonly answer: (call: unknown) => readonly [text: Uint8Array, spoil?: Spoil] | undefined
  /** What came that is no call. */
  readonly got: Array<unknown>
  /** The code with which a connection was closed. */
  readonly closed: Deferred.Deferred<number>
}

export const answeringWith = (text: string, spoil: Spoil): Answering => ({
  answer: (call) => {
    const { id, method } = Object(call) as { readonly id?: unknown; readonly method?: unknown }
    if (method === undefined) return undefined
    return id === 1
      ? [spoilt(text, spoil), spoil]
      : [Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, result: "good" }))]
  },
  got: [],
  closed: Deferred.makeUnsafe()
})

/** Answers calls by `send`, and keeps what is none. */
export const answerAll = (
  { answer, got }: Answering,
  calls: ReadonlyArray<unknown>,
  send: (text: Uint8Array, spoil?: Spoil) => void
): void => {
  for (const call of calls) {
    const answered = answer(call)
    if (answered === undefined) got.push(call)
    else send(...answered)
  }
}

export interface Wire {
  /** Begins with `over`. */
  readonly name: string
  readonly carries: (spoil: Spoil) => boolean
  /** Whether each call has an answer of its own, so that it need not show an id. */
  readonly isExchange?: boolean
  /** The close codes with which the side that calls itself refuses a text. */
  readonly ends?: Partial<Record<Spoil, number>>
  readonly open: (answering: Answering) => Effect.Effect<Pick<Caller.Caller, "request">, unknown, Scope.Scope>
}

export const limits = { frame, drain: 0 }

/** Calls by posts, of which those that are no calls are kept. */
export const callerOf = (
  { post }: Exchange.Exchange,
  { got }: Answering
): Effect.Effect<Caller.Caller, never, Scope.Scope> =>
  // Without a router it could answer nothing.
  Effect.flatMap(Router.make(), (router) =>
    Exchange.makeCaller({
      post: (text, take) => {
        if (Object(JSON.parse(text)).method === undefined) got.push(text)
        return post(text, take)
      }
    }, { limits, router, timeout: "1 minute" }))

/** The first call fails at once, the others have their results, and nothing else was sent. */
const check = (wire: Wire, kind: string, text: string, spoil: Spoil) =>
  Effect.gen(function*() {
    const what = `${kind}: ${spoil}`
    const answering = answeringWith(text, spoil)
    const caller = yield* wire.open(answering)
    const error = yield* Effect.flip(caller.request("m"))
    const code = wire.ends?.[spoil]
    if (code !== undefined) {
      assert.strictEqual(error._tag, "Disconnected", what)
      return assert.strictEqual(yield* Deferred.await(answering.closed), code, what)
    }
    assert(error._tag === "InvalidResponse", `${what}: ${error.message}`)
    assert.match(error.rule, rules[spoil], what)
    if (kind in named) assert.strictEqual(error.excerpt?.slice(0, 15), text.slice(0, 15), what)
    // An answer to the bad response would stand before the third call at the latest.
    for (let each = 0; each < 2; each++) assert.strictEqual(yield* caller.request("m"), "good", what)
    assert.deepStrictEqual(answering.got, [], what)
  }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None"))

/** Holds that of all reasons and kinds. */
export const holds = (wire: Wire): Effect.Effect<void, unknown> =>
  Effect.forEach(reasons.filter(wire.carries), (spoil) =>
    Effect.forEach(
      Object.entries({ ...named, ...(wire.isExchange === true && unnamed) }),
      ([kind, text]) => check(wire, kind, text, spoil)
    ), { discard: true })
