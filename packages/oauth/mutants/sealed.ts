import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/oauth/src/SealedState.ts",
  test: "packages/oauth/test/SealedState.test.ts",
  mutants: [
    {
      name: "state-of-another-principal-opened",
      promise: 6,
      find: "content.principal !== (binding.principal ?? null)",
      replace: "binding.principal !== undefined && content.principal !== binding.principal",
      title: "refuses another principal, nobody for somebody, and somebody for nobody"
    },
    {
      name: "state-opened-by-the-first-key-alone",
      promise: 6,
      find: "(await this.all()).find(",
      replace: "(await this.all()).slice(0, 1).find(",
      title: "knows every key it is given, and seals with the first"
    },
    {
      name: "state-has-many-spellings",
      promise: 6,
      find: "text.length > maxBytes || !written.test(text)",
      replace: "text.length > maxBytes",
      title: "refuses every other spelling of the last character"
    },
    {
      name: "state-of-another-server-opened",
      promise: 6,
      test: "packages/mcp/test/server/asking.test.ts",
      find: `if (content.server !== binding.server) return yield* refused("OtherServer")`,
      replace: "",
      title: "in one server is refused by another that has the same key"
    }
  ]
} satisfies Mutants
