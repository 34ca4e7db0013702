/** One row of the table of what a served side answers to bad frames: a wire in a dialect, with all reasons and kinds. */
import { assert, it } from "@effect/vitest"
import { Router } from "@parley/peer"
import type { Dialect, Limits } from "@parley/protocol"
import { Effect, References, type Scope } from "effect"
import { isLast, messages, reasons, replyTo, type Spoil, spoilt } from "./messages.ts"

/**
 * Sends a text of any bytes and a request, and gives the replies before that of the request, parsed; or the number with
 * which the wire itself refuses the text.
 */
export type Ask = (
  text: Uint8Array,
  spoil: Spoil
) => Effect.Effect<ReadonlyArray<unknown> | number, unknown, Scope.Scope>

export interface Wire {
  /** Begins with `over`. */
  readonly name: string
  readonly dialect: Dialect.Dialect
  readonly open: Effect.Effect<Ask, unknown, Scope.Scope>
  /** Whether the wire carries such a text. */
  readonly carries: (spoil: Spoil) => boolean
  /** The statuses or close codes with which the wire itself refuses a text, of whatever kind. */
  readonly refusals?: Partial<Record<Spoil, number>>
}

/** Serves what the messages of the table call. */
export const routerOf = (dialect: Dialect.Dialect, limits: Partial<Limits.Limits>) =>
  Effect.tap(
    Router.make({ dialect, limits }),
    (router) => router.add("echo", ({ params }) => Effect.succeed(params ?? null))
  )

/** Sends by `send`, and hears by what it was given, until the last reply has come or the wire has ended by a code. */
export const heard = (
  send: (hear: (replies: ReadonlyArray<unknown>) => void, end: (code: number) => void) => void
): Effect.Effect<ReadonlyArray<unknown> | number> =>
  Effect.callback((resume) => {
    const all: Array<unknown> = []
    send((replies) => {
      all.push(...replies)
      if (all.some(isLast)) resume(Effect.succeed(all.filter((reply) => !isLast(reply))))
    }, (code) => resume(Effect.succeed(code)))
  })

export const row = (wire: Wire): void => {
  it.live(`${wire.name}, in the dialect ${wire.dialect.name}`, () =>
    Effect.gen(function*() {
      const ask = yield* wire.open
      for (const spoil of reasons.filter(wire.carries)) {
        for (const [name, [text, answer]] of Object.entries(messages)) {
          const replies = yield* Effect.scoped(ask(spoilt(text, spoil), spoil))
          const expected = wire.refusals?.[spoil] ?? replyTo(answer, spoil, wire.dialect)
          assert.deepStrictEqual(replies, expected, `${name}: ${spoil}`)
        }
      }
    }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None")))
}
