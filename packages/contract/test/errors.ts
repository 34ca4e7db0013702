import * as Contract from "@parley/contract/Contract"
import { Lagged } from "@parley/contract/Contract"
import * as Method from "@parley/contract/Method"
import type { Caller } from "@parley/peer/Caller"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Examples } from "../../../tools/errors/Example.ts"

const Bank = Contract.make("Bank", {
  withdraw: Method.make({ result: Schema.Struct({ balance: Schema.Finite }) })
})

/** A caller whose every call gives this. */
const giving = (result: Schema.Json): Caller => ({
  request: () => Effect.succeed(result),
  notify: () => Effect.void,
  batch: () => Effect.succeed([]),
  listen: () => Effect.void,
  pause: () => () => {}
} as unknown as Caller) // A client of one method needs no more.

export default {
  InvalidResult: {
    names: { method: "withdraw", path: `at ["balance"]`, expected: "Expected number" },
    make: (foreign) => Effect.runPromiseExit(Bank.client(giving({ balance: foreign })).withdraw())
  },
  Lagged: {
    names: { method: "ticks", missed: "3 items" },
    make: () => new Lagged({ method: "ticks", missed: 3 })
  }
} satisfies Examples
