import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/cli/src/internal/proxy/posts.ts",
  test: "packages/cli/test/posts.test.ts",
  mutants: [
    {
      name: "posts-stream-to-who-accepts-no-events",
      promise: 7,
      find: `if (kind === "answer") this.#held.push(text)`,
      replace: `this.#held.push(text)`,
      title: "gives who accepts no events the responses"
    },
    {
      name: "posts-hide-a-bad-status",
      promise: 7,
      find: `status ?? (rest === undefined ? undefined : badGateway)`,
      replace: `undefined`,
      title: "answers a status with 502"
    }
  ]
} satisfies Mutants
