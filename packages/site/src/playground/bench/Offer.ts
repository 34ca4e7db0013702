/** The calls that the page offers. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Bank } from "./Bank.ts"
import type { Workbench } from "./Workbench.ts"

/** Beside the params. */
export interface Options {
  /** In milliseconds. Without it, the client waits for five seconds. */
  readonly timeout?: number | undefined
  /** The method of a call without a contract. */
  readonly method: string
  /** Takes what comes before the end: reports of progress, and the items of a stream. */
  readonly tell: (what: "progress" | "item", value: unknown) => void
}

/** How a call ends when it does not succeed: an error of the contract, or one that any call may end with. */
export interface Failure {
  readonly _tag: string
  readonly message: string
}

export interface Offer {
  readonly title: string
  /** The call, as a program writes it. */
  readonly code: (params: string, method: string) => string
  /** The params are what the visitor has typed: the client refuses those that do not fit. */
  readonly run: (bench: Workbench, params: Schema.Json, options: Options) => Effect.Effect<unknown, Failure>
}

export type Name = "deposit" | "withdraw" | "audit" | "statement" | "batch" | "request"

export const offers: Readonly<Record<Name, Offer>> = {
  deposit: {
    title: "deposit, a method",
    code: (params) => `bank.deposit(${params})`,
    run: ({ bank }, params, { timeout }) => bank.deposit(unchecked(params), { timeout })
  },
  withdraw: {
    title: "withdraw, a method with typed errors that asks you back beyond 100",
    code: (params) => `bank.withdraw(${params})`,
    run: ({ bank }, params, { timeout }) => bank.withdraw(unchecked(params), { timeout })
  },
  audit: {
    title: "audit, a slow method that reports progress",
    code: (params) => `bank.audit(${params}, { onProgress })`,
    run: ({ bank }, params, { tell, timeout }) =>
      bank.audit(unchecked(params), { timeout, onProgress: (value) => tell("progress", value) })
  },
  statement: {
    title: "statement, a subscription: a stream of items",
    code: (params) => `Stream.runForEach(bank.statement(${params}, { onProgress }), show)`,
    run: ({ bank }, params, { tell }) =>
      bank.statement(unchecked(params), { onProgress: (value) => tell("progress", value) }).pipe(
        Stream.runForEach((item) => Effect.sync(() => tell("item", item))),
        Effect.as("the stream has ended")
      )
  },
  batch: {
    title: "a batch: a deposit and a withdrawal in one message",
    code: (params) => `Bank.batch(bank, (calls) => [calls.deposit(…), calls.withdraw(…)]), with ${params}`,
    run: ({ bank }, params, { timeout }) => {
      const { deposit, withdraw } = unchecked<{ readonly deposit: number; readonly withdraw: number }>(params ?? {})
      return Effect.map(
        Bank.batch(bank, (calls) => [calls.deposit({ amount: deposit }), calls.withdraw({ amount: withdraw })], {
          timeout
        }),
        (results) => results.map(Result.match({ onSuccess: (value) => value, onFailure: nameOf }))
      )
    }
  },
  request: {
    title: "any method, without the contract",
    code: (params, method) => `caller.request(${JSON.stringify(method)}, ${params})`,
    run: ({ caller }, params, { method, tell, timeout }) =>
      caller.request(method, unchecked(params), { timeout, onProgress: (value) => tell("progress", value) })
  }
}

/** A visitor may type any JSON. The client checks it before anything is sent. */
const unchecked = <P>(params: Schema.Json): P => params as P

const nameOf = ({ _tag, message }: Failure): string => `${_tag}: ${message}`

/** A call that shows one thing, at a click. */
export interface Example {
  readonly title: string
  readonly offer: Name
  readonly params: Schema.Json
  readonly method?: string
  readonly timeout?: number
}

export const examples: ReadonlyArray<Example> = [
  { title: "A plain call", offer: "deposit", params: { amount: 50 } },
  { title: "A typed error", offer: "withdraw", params: { amount: 5_000 } },
  { title: "A call back", offer: "withdraw", params: { amount: 200 } },
  { title: "Progress", offer: "audit", params: { years: 4 } },
  { title: "A timeout", offer: "audit", params: { years: 9 }, timeout: 1_200 },
  { title: "A stream", offer: "statement", params: { entries: 12 } },
  { title: "A batch", offer: "batch", params: { deposit: 10, withdraw: 5_000 } },
  { title: "Arguments that do not fit", offer: "deposit", params: { amount: "fifty" } },
  { title: "The same, unchecked", offer: "request", method: "deposit", params: { amount: "fifty" } },
  { title: "An unknown method", offer: "request", method: "borrow", params: { amount: 50 } }
]

/** Texts that a foreign peer may send. */
export const foreignTexts = [
  { title: "Params by position", text: `{"jsonrpc":"2.0","id":"mine","method":"deposit","params":[25]}` },
  {
    title: "A token for progress, and the id 1.0",
    text: `{"jsonrpc":"2.0","id":1.0,"method":"audit","params":{"years":2,"workDoneToken":"t"}}`
  },
  {
    title: "A batch with a 7 in it",
    text: `[{"jsonrpc":"2.0","id":1,"method":"deposit","params":{"amount":1}},7]`
  },
  { title: "Half a message", text: `{"jsonrpc":"2.0","method":"deposit",` }
] as const
