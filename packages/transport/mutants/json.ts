import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/internal/json.ts",
  test: "packages/transport/test/MessagePortTransport.test.ts",
  mutants: [
    {
      name: "json-looks-at-what-is-left-out-for-nothing",
      promise: 5,
      title: "promise 14: one bad message costs one error reply: what is no JSON is a BadFrame",
      find: `      this.count(key.length + 3)
      if (member !== undefined) this.visit(member)
`,
      replace: `      if (member === undefined) continue
      this.count(key.length + 3)
      this.visit(member)
`
    }
  ]
} satisfies Mutants
