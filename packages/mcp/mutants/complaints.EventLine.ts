import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/httpClient/EventLine.ts",
  test: "packages/mcp/test/complaints/brokenStreams.test.ts",
  mutants: [
    {
      name: "a-stream-is-opened-again-twice-at-most",
      promise: 7,
      find: `while (!isOver()) {`,
      replace: `for (let tries = 0; tries < 3 && !isOver(); tries++) {`,
      title: "the result of a call is fetched however often its stream breaks"
    }
  ]
} satisfies Mutants
