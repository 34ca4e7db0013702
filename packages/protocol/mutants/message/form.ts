import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/form.ts",
  test: "packages/protocol/test/dialects.test.ts",
  mutants: [
    {
      name: "write-one-member-in-json-rpc-1",
      promise: 2,
      find: `form.responses === "both" ? \`,"error":null}\` : "}"`,
      replace: `"}"`
    },
    {
      name: "write-params-by-name-in-json-rpc-1",
      promise: 2,
      find: `form.params === "array" && !Array.isArray(params)`,
      replace: `form.params === "null" && !Array.isArray(params)`
    }
  ]
} satisfies Mutants
