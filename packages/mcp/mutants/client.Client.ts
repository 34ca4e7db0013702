import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/client/Client.ts",
  test: "packages/mcp/test/client/Input.test.ts",
  mutants: [
    {
      name: "a-modern-servers-requests-are-answered",
      promise: 14,
      find: `spoken?.traits.asks === "requests" && spoken.clientServes(method)`,
      replace: `spoken?.clientServes(method) === true`,
      title: "a modern server's own requests"
    },
    {
      name: "the-revision-is-known-too-late",
      promise: 13,
      test: "packages/mcp/test/client/Negotiation.test.ts",
      find: `        spoken = wire
`,
      replace: `        queueMicrotask(() => void setTimeout(() => { spoken = wire }, 1))
`,
      title: "a server that asks as soon as it hears"
    },
    {
      name: "a-link-that-finds-out-is-not-heard",
      promise: 9,
      test: "packages/mcp/test/client/Sessions.test.ts",
      find: `if (session !== undefined) fork(`,
      replace: `if (session === undefined) fork(`,
      title: "a link that finds out by itself"
    }
  ]
} satisfies Mutants
