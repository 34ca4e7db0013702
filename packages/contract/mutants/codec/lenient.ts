import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/codec/lenient.ts",
  test: "packages/contract/test/codec/Lenient.test.ts",
  mutants: [
    {
      name: "entries-of-records-stay",
      promise: 2,
      title: "an entry of a record",
      find: `property === undefined ? ast.indexSignatures.length > 0`,
      replace: `property === undefined ? false`
    },
    {
      name: "elements-of-tuples-are-left-out",
      promise: 2,
      title: "a tuple, and not an element of it",
      find: `index >= ast.elements.length && ast.rest.length === 1`,
      replace: `index >= 0`
    },
    {
      name: "all-misfits-are-named",
      promise: 2,
      title: "and names the first few of many places",
      find: `misfits.slice(0, mostNamed)`,
      replace: `misfits.slice(0)`
    },
    {
      name: "a-left-out-key-forges-a-line",
      promise: 6,
      title: "what does not fit, in one line without",
      find: `Excerpt.line(named.join("; "), Infinity)`,
      replace: `named.join("; ")`
    }
  ]
} satisfies Mutants
