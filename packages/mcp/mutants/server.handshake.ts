import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/server/handshake.ts",
  test: "packages/mcp/test/server/handshake.test.ts",
  mutants: [
    {
      name: "a-session-keeps-whatever-a-client-says",
      promise: 17,
      find: `.length > mostIntroduced) return tooLong`,
      replace: `.length > Number.MAX_VALUE) return tooLong`,
      title: "is refused where a client says more"
    }
  ]
} satisfies Mutants
