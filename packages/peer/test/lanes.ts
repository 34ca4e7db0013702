/** A session under test, and its lanes in the hands of the test. */
import { Effect, type Fiber, Option, type Scope } from "effect"
import type * as Handler from "../src/Handler.ts"
import type * as Router from "../src/Router.ts"
import * as Session from "../src/Session.ts"
import { routerOf } from "./wire.ts"

/** A session that serves these handlers. */
export const open = (
  handlers: Router.Handlers,
  options: Omit<Session.SessionOptions, "router"> = {}
): Effect.Effect<Session.Session, never, Scope.Scope> =>
  Effect.flatMap(routerOf(handlers), (router) => Session.make({ router, ...options }))

/** A lane that keeps what it was given, parsed. */
export const makeLane = (): { readonly lane: Session.Lane; readonly sent: ReadonlyArray<unknown> } => {
  const sent: Array<unknown> = []
  return { lane: { send: (text) => Effect.sync(() => void sent.push(JSON.parse(text))) }, sent }
}

/** What an answer says; null for none. */
export const parsed = (reply: Option.Option<string>): unknown => JSON.parse(Option.getOrElse(reply, () => "null"))

/** Answers a text in a fiber of its own. */
export const asking = (
  session: Session.Session,
  text: string,
  lane?: Session.Lane
): Effect.Effect<Fiber.Fiber<unknown>> =>
  Effect.forkChild(Effect.map(session.answer(text, lane), parsed), { startImmediately: true })

export const result = (id: number, result: unknown): unknown => ({ jsonrpc: "2.0", id, result })

/** A request of ours, as `ask` makes it. */
export const question = (id: number): unknown => ({ jsonrpc: "2.0", id, method: "question" })

export const echo: Handler.Handler = (call) => Effect.succeed(call.params ?? null)

/** Asks the other side, and gives what it answers, or how that failed. */
export const ask: Handler.Handler = (call) =>
  Effect.catch(call.peer.request("question", call.params), (error) =>
    Effect.succeed(
      error._tag === "Disconnected" ? `Disconnected ${error.reason._tag} ${error.sent}` : error._tag
    ))
