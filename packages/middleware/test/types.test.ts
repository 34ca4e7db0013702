/** What the types of the middleware infer. The compiler checks this file; running it only shows that it was there. */
import { describe, expectTypeOf, it } from "@effect/vitest"
import { type Caller, type ErrorResponse, type Handler, Router } from "@parley/peer"
import * as Dialect from "@parley/protocol/Dialect"
import type { Transport } from "@parley/transport/Transport"
import * as Transports from "@parley/transport/Transport"
import { Context, Effect, type Layer, Schedule } from "effect"
import { Authentication, Concurrency, Deadline, Logging, Metrics, Retry, Tracing } from "../src/index.ts"

class Clerk extends Context.Service<Clerk, { readonly name: string }>()("Clerk") {}
class Keys extends Context.Service<Keys, { readonly check: (key: unknown) => Effect.Effect<string> }>()("Keys") {}
class Accounts extends Context.Service<Accounts, { readonly take: Effect.Effect<number> }>()("Accounts") {}

type Service = Caller.Caller
type Served<R> = Handler.Handler<ErrorResponse.ErrorResponse, R>

const take: Served<Clerk | Accounts> = () => Clerk.use(() => Accounts.use((accounts) => accounts.take))

const checked = (call: Handler.Call) =>
  Keys.use((keys) => Effect.map(keys.check(call.extra?.["key"]), (name) => ({ name })))

describe("the types of", () => {
  it("authentication take its service from what a handler requires, and add what it requires itself", () => {
    const authenticated = Authentication.handler(Clerk, checked)(take)
    expectTypeOf(authenticated).toEqualTypeOf<Served<Keys | Accounts>>()
    expectTypeOf(Authentication.handler(Clerk, checked, { per: "connection" })(take)).toEqualTypeOf<
      Served<Keys | Accounts>
    >()
    const open = Authentication.handler(Clerk, () => Effect.succeed({ name: "ada" }))
    expectTypeOf(open(() => Clerk.useSync(({ name }) => name))).toEqualTypeOf<Handler.Handler<never>>()
    expectTypeOf(open(() => Effect.void)).toEqualTypeOf<Handler.Handler<never>>()
    expectTypeOf(Router.layer({ take: authenticated })).toEqualTypeOf<
      Layer.Layer<Router.Router, Router.MethodTaken, Keys | Accounts>
    >()
    // @ts-expect-error the service is another
    Authentication.handler(Clerk, () => Effect.succeed({ title: "ada" }))
    const failing = Authentication.handler(Clerk, () => Effect.fail(new Error("no")))
    expectTypeOf(failing(() => Effect.void)).toEqualTypeOf<Handler.Handler<Error>>()
    // @ts-expect-error without a contract, a call is refused with an error object
    Router.layer({ take: failing(() => Effect.void) })
    // @ts-expect-error once per what
    Authentication.handler(Clerk, checked, { per: "day" })
  })

  it("a handler with a principal require it no more, and nothing else less", () => {
    const mine: Served<Clerk | Accounts> = () => Clerk.use(({ name }) => Accounts.use(() => Effect.succeed(name)))
    expectTypeOf(Authentication.principal(Clerk)(mine)).toEqualTypeOf<Served<Accounts>>()
    expectTypeOf(Authentication.principal(Keys)(mine)).toEqualTypeOf<Served<Clerk | Accounts>>()
  })

  it("handlers with a deadline or a limit carry what they require", () => {
    expectTypeOf(Deadline.handler("1 second")(take)).toEqualTypeOf<Served<Clerk | Accounts>>()
    expectTypeOf(Concurrency.handler(1)(take)).toEqualTypeOf<Served<Clerk | Accounts>>()
  })

  it("a caller's credentials let it fail as a caller does", () => {
    expectTypeOf(Authentication.caller(() => Effect.succeed({}))).toEqualTypeOf<(inner: Service) => Service>()
    // @ts-expect-error a caller's errors are known
    Authentication.caller(() => Effect.fail(new Error("no")))
    // @ts-expect-error what it requires is to be there when the caller is made
    Authentication.caller(() => Keys.useSync(() => ({})))
  })

  const requiring = Schedule.recurs(3).pipe(
    Schedule.setInputType<Caller.CallError>(),
    Schedule.tap(({ input }) => Keys.use((keys) => keys.check(input._tag)))
  )

  it("retries have what their schedule requires", () => {
    expectTypeOf(Retry.caller({ schedule: Schedule.recurs(3) })).toEqualTypeOf<(inner: Service) => Service>()
    expectTypeOf(Retry.makeCaller({ schedule: requiring })).toEqualTypeOf<
      (inner: Service) => Effect.Effect<Service, never, Keys>
    >()
    // @ts-expect-error the schedule requires a service
    Retry.caller({ schedule: requiring })
    // @ts-expect-error a caller's errors are known
    Retry.caller({ schedule: Schedule.while(Schedule.forever, () => Effect.fail(new Error("no"))) })
  })

  it("retries of handlers have what their schedule requires, and may fail as it does", () => {
    const schedule = Schedule.recurs(3).pipe(
      Schedule.setInputType<ErrorResponse.ErrorResponse>(),
      Schedule.tap(({ input }) => Keys.use((keys) => keys.check(input.code))),
      Schedule.while(() => Effect.fail("tired" as const))
    )
    expectTypeOf(Retry.handler({ schedule, while: () => true })).toEqualTypeOf<Handler.Middleware<"tired", Keys>>()
    expectTypeOf(Retry.handler({ schedule: Schedule.recurs(3), while: ({ code }) => code === 1 })(take)).toEqualTypeOf<
      Served<Clerk | Accounts>
    >()
    // @ts-expect-error which failures pass is for the application to say
    Retry.handler({ schedule })
  })

  it("what observes leave those of handlers and callers as they are", () => {
    expectTypeOf(Tracing.handler(Dialect.jsonRpc)(take)).toEqualTypeOf<Served<Clerk | Accounts>>()
    expectTypeOf(Metrics.handler()(take)).toEqualTypeOf<Served<Clerk | Accounts>>()
    expectTypeOf(Logging.handler()(take)).toEqualTypeOf<Served<Clerk | Accounts>>()
    expectTypeOf(Tracing.caller({ traceContext: undefined })).toEqualTypeOf<(inner: Service) => Service>()
    expectTypeOf(Metrics.caller()).toEqualTypeOf<(inner: Service) => Service>()
    expectTypeOf(Logging.caller()).toEqualTypeOf<(inner: Service) => Service>()
    expectTypeOf(Transports.wrap(Metrics.transport)).toEqualTypeOf<Layer.Layer<Transport, never, Transport>>()
  })
})
