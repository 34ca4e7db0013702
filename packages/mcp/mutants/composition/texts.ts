import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp-gateway/test/texts.test.ts",
  mutants: [
    {
      name: "a-taken-name-is-logged-as-it-came",
      promise: 6,
      title: "between ",
      find: "`there is a ${Excerpt.line(name)} already",
      replace: "`there is a ${name} already"
    },
    {
      name: "a-server-logs-for-us-as-it-likes",
      promise: 6,
      title: "between ",
      find: `Effect.logWithLevel(levels[level])(Excerpt.value(data))`,
      replace: `Effect.logWithLevel(levels[level])(data)`
    }
  ]
} satisfies Mutants
