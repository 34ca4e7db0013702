/**
 * Calls over one bad line after the other, to a server that returns what it was sent.
 */
import * as Message from "@parley/protocol/Message"
import { RequestId } from "@parley/protocol/shared"
import type { Transport } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Faulty from "../../Faulty.ts"
import { type Body, firstVerdict } from "../laws.ts"
import * as Calls from "./calls.ts"
import * as Reconnections from "./reconnections.ts"
import type { Side } from "./side.ts"

/** The calls of one law, by the only element of their params. */
const calls = Array.from({ length: 30 }, (_, index) => index)

/** However the lines fail, each call has ended once when the caller is closed, with its own answer or with none. */
export const end = (all: Reconnections.Called, seed: number): Body =>
  Effect.gen(function*() {
    const random = yield* Random.withSeed(Random.Random, `reconnections ${seed}`)
    const opens = Array.from({ length: 40 }, () => random.nextDoubleUnsafe() < 0.7)
    const scope = yield* Scope.make()
    const wrap = (near: Transport, connection: number) =>
      Effect.map(
        Faulty.make(near, { seed: `${seed} ${connection}`, delay: 0.3, split: 0.5, garble: 0.05, cut: 0.1 }),
        ({ transport }) => transport
      )
    const { caller, connection, end } = yield* Scope.provide(Reconnections.open(all, { opens, wrap }), scope)

    /** How often the server saw each call. */
    const seen = calls.map(() => 0)
    const serve = (side: Side): Effect.Effect<void, unknown> =>
      Effect.flatMap(side.text, (text) => {
        const message = Message.decode(text)
        if (Result.isFailure(message) || message.success._tag !== "Request") return serve(side)
        const { id, params } = message.success
        const index = Array.isArray(params) ? Number(params[0]) : -1
        seen[index] = (seen[index] ?? 0) + 1
        return Effect.andThen(side.send(Message.successText(RequestId.toText(id), params ?? null)), serve(side))
      })
    yield* Effect.forkScoped(Effect.ignore(Effect.forever(
      Effect.flatMap(connection, (side) => Effect.forkScoped(Effect.ignore(serve(side))))
    )))

    let ended = 0
    const fibers = yield* Effect.forEach(calls, (index) =>
      Effect.gen(function*() {
        for (let turn = Math.floor(random.nextDoubleUnsafe() * 30); turn > 0; turn--) yield* Effect.yieldNow
        const counted = Effect.onExit(caller.request("echo", [index]), () => Effect.sync(() => ended++))
        return yield* Calls.begin(Effect.exit(counted))
      }))
    yield* Calls.quiet(() => ended)
    yield* Effect.forkChild(Scope.close(scope, Exit.void))
    const verdict = yield* firstVerdict(
      fibers.entries(),
      ([index, fiber]) => Effect.map(end(fiber), (exit) => Calls.arrivesOrFails(Result.succeed([index]), exit))
    )
    const twice = seen.findIndex((count) => count > 1)
    if (verdict !== undefined) return verdict
    if (twice >= 0) return `call ${twice} was sent ${seen[twice]} times`
    return ended === calls.length ? undefined : `${calls.length} calls ended ${ended} times`
  })
