import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/httpServer/Listening.ts",
  test: "packages/mcp/test/http-server/modern.test.ts",
  mutants: [
    {
      name: "who-listens-is-left-without-an-end",
      promise: 19,
      find: `this.#connections.add(connection)`,
      replace: ``,
      title: "hears what it has named, and gets a result when the server ends"
    },
    {
      name: "who-listens-is-not-waited-for",
      promise: 19,
      test: "packages/mcp/test/http-server/closing.test.ts",
      find: `const grace = 1_000`,
      replace: `const grace = 0`,
      title: "waits a moment for who listens and reads nothing"
    }
  ]
} satisfies Mutants
