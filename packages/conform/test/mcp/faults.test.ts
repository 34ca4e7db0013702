/** Each rule, and a server that breaks it: a rule that cannot fail is a defect. */
import { assert, it } from "@effect/vitest"
import { Conform } from "@parley/conform"
import { Effect } from "effect"
import { describe } from "vitest"
import { faults } from "./Faults.ts"
import * as Server from "./Server.ts"

describe.concurrent("a server that breaks a rule", () => {
  for (const [at, [rule, fault]] of faults.entries()) {
    it.live(`fails where it does: ${rule} (${at + 1})`, () =>
      Effect.gen(function*() {
        const [result] = (yield* Conform.run(yield* Server.memory(fault), { only: [rule] })).results
        assert.deepStrictEqual([result?.verdict, result?.reason], ["fail", undefined])
      }))
  }
})
