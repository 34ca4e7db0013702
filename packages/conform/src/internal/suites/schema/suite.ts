/**
 * The suite `schema`: whether operations take and give what their schemas say, tried with values that are written from the
 * schemas.
 */
import * as Effect from "effect/Effect"
import * as Suite from "../../../Suite.ts"
import type { Run } from "../../protocol/Protocol.ts"
import * as calls from "./calls.ts"
import * as declared from "./declared.ts"
import * as Exercise from "./Exercise.ts"

export const schema: Suite.Suite<Run> = Suite.make({
  name: "schema",
  title: "Schemas: operations take and give what they declare",
  prepare: (run: Run) =>
    Effect.gen(function*() {
      const operations = yield* run.spoken.operations
      if (operations.length === 0) {
        return yield* new Suite.NotApplicable({ reason: "it is not known what the server can be asked for" })
      }
      const callable = operations.filter(({ isReadOnly }) => isReadOnly || run.write)
      const exercise = yield* Effect.cached(Exercise.make(run, callable))
      return { run, operations, callable, exercise }
    }),
  rules: [...declared.rules, ...calls.rules]
})
