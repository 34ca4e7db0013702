import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/params.ts",
  test: "packages/contract/test/Params.test.ts",
  mutants: [
    {
      name: "positions-are-reversed",
      promise: 2,
      title: "stand in the order of their declaration",
      find: `return present.map((name) => params[name] ?? null)`,
      replace: `return present.map((name) => params[name] ?? null).toReversed()`
    },
    {
      name: "gaps-close-up",
      promise: 2,
      title: "mean the same, and an encoded value decodes to itself",
      find: `  if (present.some((name, index) => names[index] !== name)) return undefined\n`,
      replace: ``
    },
    {
      name: "positions-fit-names-only",
      promise: 2,
      title: "only as the contract says where it does",
      find: `if (structure === "by-name") return refused("params are by name")`,
      replace: ``
    },
    {
      name: "misfits-are-sent",
      promise: 2,
      title: "or nothing at all, when they do not fit",
      find: `if (Exit.isFailure(encoded)) return encoded\n`,
      replace: ``
    }
  ]
} satisfies Mutants
