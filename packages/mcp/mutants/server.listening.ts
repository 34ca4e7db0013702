import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/server/listening.ts",
  test: "packages/mcp/test/server/changes.test.ts",
  mutants: [
    {
      name: "stream-has-what-was-not-asked-for",
      promise: 11,
      find: `filter[\`\${change.list}ListChanged\`] === true`,
      replace: `true`,
      title: "acknowledges first, tells only what was asked for"
    },
    {
      name: "subscriptions-have-no-bound",
      promise: 17,
      find: `if (subscriptions.length >= server.subscriptions) return`,
      replace: `if (subscriptions.length < 0) return`,
      title: "nobody subscribes to more than the server allows"
    }
  ]
} satisfies Mutants
