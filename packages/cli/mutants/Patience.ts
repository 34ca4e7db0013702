import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/cli/src/internal/mcp/Patience.ts",
  test: "packages/cli/test/mcp/Asked.test.ts",
  mutants: [
    {
      name: "patience-ends-while-a-person-types",
      promise: 6,
      find: `isNew || pauses > 0`,
      replace: `isNew`,
      title: "does not end while a person is asked"
    },
    {
      name: "patience-does-not-listen",
      promise: 6,
      find: `  const heard = () => {
    isNew = true`,
      replace: `  const heard = () => {
    isNew = false`,
      title: "ends when nothing was heard for the time, and begins anew with what is heard"
    }
  ]
} satisfies Mutants
