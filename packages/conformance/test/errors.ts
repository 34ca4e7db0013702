import * as Laws from "@parley/conformance/Laws"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Examples } from "../../../tools/errors/Example.ts"
import { broken } from "../src/internal/laws.ts"

export default {
  Broken: {
    names: { member: "`close`", outcome: "Lost" },
    make: () => Effect.runPromiseExit(broken("`close` ended the reading, and it failed with Lost"))
  },
  LawBroken: {
    names: { law: "decode after encode is the identity" },
    make: () =>
      Effect.runPromiseExit(
        Laws.forAll("decode after encode is the identity", Arbitrary.schema(Schema.Null), () => "no").check
      )
  }
} satisfies Examples
