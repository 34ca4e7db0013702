import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp/test/questions/SealedState.test.ts",
  mutants: [
    {
      name: "round-over-at-the-first-question",
      promise: 13,
      test: "packages/mcp/test/questions/rounds.test.ts",
      find: `    yield* Effect.yieldNow
`,
      replace: "",
      title: "collects what is asked at the same time"
    },
    {
      name: "taken-answer-replaced",
      promise: 7,
      test: "packages/mcp/test/questions/answers.test.ts",
      find: "this.answers.get(key) ?? this.given.get(key)",
      replace: "this.given.get(key) ?? this.answers.get(key)",
      title: "that were taken once stay, whatever else comes under their key"
    },
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
      name: "state-under-one-nonce",
      promise: 6,
      find: "globalThis.crypto.getRandomValues(new Uint8Array(nonceLength))",
      replace: "new Uint8Array(nonceLength)",
      title: "shows nothing of the payload, and is another text each time"
    }
  ]
} satisfies Mutants
