import * as Correlator from "@parley/peer/Correlator"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as TestClock from "effect/testing/TestClock"
import { type Examples, foreign } from "../../../tools/errors/Example.ts"
import * as Caller from "../src/Caller.ts"
import * as ErrorResponse from "../src/ErrorResponse.ts"
import * as Router from "../src/Router.ts"
import * as Exchange from "../src/shared/Exchange.ts"

/** What a call fails with that a correlator ends so. */
const ended = (end: (calls: Correlator.Correlator) => unknown, timeout = Infinity) =>
  Effect.runPromise(
    Effect.scoped(Effect.gen(function*() {
      const calls = yield* Correlator.make({ onTimeout: () => {} })
      let outcome: Correlator.Outcome | undefined
      calls.register({ method: "withdraw", timeout, resume: (exit) => (outcome = exit) })
      end(calls)
      if (outcome === undefined) yield* TestClock.adjust(timeout)
      return outcome === undefined || Exit.isSuccess(outcome) ? undefined : outcome
    })).pipe(Effect.provide(TestClock.layer()))
  )

export default {
  BadAnswer: {
    names: { header: "the content type", value: foreign, excerpt: "<html>" },
    make: (foreign) =>
      Exchange.BadAnswer.ofBytes(
        `the content type of the answer is ${foreign}, not JSON`,
        new TextEncoder().encode("<html>")
      )
  },
  Disconnected: {
    names: { method: "withdraw", id: "(id 1)", reason: "(Exited)", exitCode: "code 1", stderr: foreign },
    make: (foreign) =>
      ended((calls) => calls.close({ _tag: "Exited", code: 1, signal: null, stderr: foreign }, () => true))
  },
  ErrorResponse: {
    names: { code: "Insufficient funds" },
    make: (foreign) => ErrorResponse.make(1001, "Insufficient funds", foreign)
  },
  HttpStatusError: {
    names: {
      method: "withdraw",
      id: "(id 1)",
      status: "HTTP status 502",
      url: "https://example.org/rpc",
      excerpt: foreign
    },
    make: (foreign) =>
      new Caller.HttpStatusError({
        method: "withdraw",
        id: 1,
        status: 502,
        excerpt: foreign,
        url: "https://example.org/rpc"
      })
  },
  InvalidArguments: {
    names: { method: "withdraw", cause: foreign },
    make: (foreign) => new Caller.InvalidArguments({ method: "withdraw", cause: new TypeError(foreign) })
  },
  InvalidResponse: {
    names: { method: "withdraw", id: "(id 1)", rule: "either `result` or `error`", excerpt: foreign },
    make: (foreign) =>
      ended((calls) =>
        calls.refuse({ id: 1, rule: "a response must have either `result` or `error`", excerpt: foreign })
      )
  },
  MethodTaken: {
    names: { method: "withdraw" },
    make: () =>
      Effect.runPromiseExit(Effect.scoped(Effect.gen(function*() {
        const router = yield* Router.make()
        yield* router.add("withdraw", () => Effect.succeed(null))
        yield* router.add("withdraw", () => Effect.succeed(null))
      })))
  },
  Overloaded: {
    names: { limit: "the limit `waiting`", value: "65536 calls" },
    make: () => new Caller.Overloaded({ limit: 65_536 })
  },
  RemoteError: {
    names: { method: "withdraw", id: "(id 1)", code: "error 1001", text: foreign },
    make: (foreign) =>
      ended((calls) => calls.settle({ _tag: "Failure", id: 1, error: { code: 1001, message: foreign } }))
  },
  RequestTimeout: {
    names: { method: "withdraw", id: "(id 1)", milliseconds: "30000 ms" },
    make: () => ended(() => {}, 30_000)
  }
} satisfies Examples
