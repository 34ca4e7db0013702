import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/server/connecting.ts",
  test: "packages/mcp/test/server/handshake.test.ts",
  mutants: [
    {
      name: "client-that-is-not-ready-is-told",
      promise: 13,
      find: `if (change.ready === true) this.#watch()`,
      replace: `this.#watch()`,
      test: "packages/mcp/test/server/changes.test.ts",
      title: "a client of "
    },
    {
      name: "method-of-the-other-era-is-served",
      promise: 14,
      find: `!wire.serverServes(call.method) || `,
      replace: ``,
      title: "goes with no method of the other era"
    },
    {
      name: "open-streams-have-no-result",
      promise: 19,
      find: `for (const watcher of [...this.listening]) watcher.close()`,
      replace: ``,
      test: "packages/mcp/test/server/changes.test.ts",
      title: "ends with a result when the server closes"
    },
    {
      name: "unsupported-revision-is-served",
      promise: 14,
      find: `return unsupported(envelope.requested, supported)`,
      replace: `return unsupported(envelope.requested, [])`,
      title: "that names a revision which is not spoken"
    }
  ]
} satisfies Mutants
