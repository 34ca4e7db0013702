/** The handlers of the bank. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Bank, Customer, Declined, Insufficient } from "./Bank.ts"

/** The largest amount that the bank pays out without asking back. */
export const unasked = 100

export const layer = Bank.toLayer(Effect.sync(() => {
  let balance = 1_000
  return Bank.of({
    deposit: ({ amount }) => Effect.sync(() => balance += amount),
    withdraw: ({ amount }, call) =>
      Effect.gen(function*() {
        if (amount > balance) return yield* new Insufficient({ balance })
        // Without an answer there is no consent.
        const agrees = amount <= unasked || (yield* Customer.client(call.peer).confirm({ amount }).pipe(
          Effect.catch(() => Effect.succeed(false))
        ))
        if (!agrees) return yield* new Declined()
        return balance -= amount
      }),
    audit: ({ years }, call) =>
      Effect.gen(function*() {
        for (let year = 1; year <= years; year++) {
          yield* Effect.sleep("500 millis")
          yield* Effect.orDie(call.progress({ value: { year, years } }))
        }
        return `${years} years are in order`
      }),
    statement: ({ entries }, call) =>
      Stream.range(1, entries).pipe(
        Stream.rechunk(1),
        Stream.tap((number) =>
          number % 5 === 0 ? Effect.orDie(call.progress({ value: { number, entries } })) : Effect.void
        ),
        Stream.map((number) => ({ number, amount: number * 10 }))
      )
  })
}))
