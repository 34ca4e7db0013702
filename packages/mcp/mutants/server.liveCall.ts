import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/server/liveCall.ts",
  test: "packages/mcp/test/server/calls.test.ts",
  mutants: [
    {
      name: "progress-shrinks",
      promise: 11,
      find: `if (!(progress > this.#progress) || !Number.isFinite(progress)) return Effect.void`,
      replace: ``,
      title: "goes to who asked for it, only grows"
    },
    {
      name: "log-level-is-not-looked-at",
      promise: 11,
      find: ` || !LogLevel.isAtLeast(level, logLevel)`,
      replace: ``,
      title: "come as the session asks for them"
    },
    {
      name: "progress-is-no-number",
      promise: 14,
      find: ` || !Number.isFinite(progress)`,
      replace: ``,
      title: "goes to who asked for it, only grows"
    }
  ]
} satisfies Mutants
