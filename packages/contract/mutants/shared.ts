import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal",
  test: "packages/contract/test/Shared.test.ts",
  mutants: [
    {
      name: "the-first-member-serves-all",
      promise: 2,
      title: "are told apart by their params",
      find: `return others.length === 0`,
      replace: `return others.length >= 0`
    },
    {
      name: "params-lose-members-before-other-members-read-them",
      promise: 2,
      title: "are told apart by all of their params where the contract is lenient",
      find: `    ...members.map(({ strict }) => strict),
`,
      replace: ``
    },
    {
      name: "partial-results-are-not-read",
      promise: 11,
      title: "of any shape come in order",
      find: `const value = run(decode(json))`,
      replace: `const value = Exit.succeed<unknown>(json) as ReturnType<typeof run<unknown, InvalidResult>>`
    },
    {
      name: "a-partial-result-that-misfits-is-skipped",
      promise: 11,
      title: "that do not fit end the call",
      find: `        isOver = true
`,
      replace: `        return
`
    }
  ]
} satisfies Mutants
