import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp-gateway/test/questions.test.ts",
  mutants: [
    {
      name: "waiting-calls-without-a-bound",
      promise: 17,
      find: `return this.#size + many > this.most ? "all" : undefined`,
      replace: "return undefined",
      test: "packages/mcp/test/composition/bounds.test.ts",
      title: "is full for a third principal"
    },
    {
      name: "mounted-server-hides-nothing",
      promise: 23,
      test: "packages/mcp/test/composition/mounting.test.ts",
      find: "both(feature.visible?.(call) ?? true, visible(feature, call))",
      replace: "feature.visible?.(call) ?? true",
      title: "is as visible as it is by itself, and needs the same scopes: "
    },
    {
      name: "source-that-has-left-named-as-another",
      promise: 23,
      test: "packages/mcp/test/composition/mounting.test.ts",
      find: "this.#all === mounts ? Exit",
      replace: "mounts.length > 0 ? Exit",
      title: "is not taken for another one that goes while its list is waited for"
    }
  ]
} satisfies Mutants
