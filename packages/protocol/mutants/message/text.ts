import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/text.ts",
  test: "packages/protocol/test/codec.test.ts",
  mutants: [
    {
      name: "encode-any-id-as-a-number",
      promise: 2,
      find: `String(Number(id)) === id`,
      replace: `id !== ""`
    },
    {
      name: "encode-long-params-without-text",
      promise: 2,
      find: ` && !("toJSON" in value)`,
      replace: ``
    }
  ]
} satisfies Mutants
