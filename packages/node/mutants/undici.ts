import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/undici.ts",
  test: "packages/node/test/NodeHttpCaller.test.ts",
  mutants: [
    {
      name: "an-abandoned-post-keeps-its-connection",
      promise: 8,
      find: `    this.#controller?.abort(givenUp())\n  })`,
      replace: `  })`
    },
    {
      name: "a-call-that-never-left-counts-as-sent",
      promise: 9,
      title: "nobody who listens, or no name",
      find: `const sent = this.#controller !== undefined`,
      replace: `const sent = true`
    },
    {
      name: "events-are-read-without-waiting-for-who-takes-them",
      promise: 18,
      title: "a pause makes the server wait",
      find: `    this.#controller?.pause()\n`,
      replace: ``
    },
    {
      name: "an-answer-that-nobody-takes-yet-is-read",
      promise: 18,
      test: "packages/node/test/HttpFetcher.test.ts",
      title: "promise 18: callers suspend on a full outbox: an answer that",
      find: `if (take === undefined) return this.#values.length > 0 ? this.#pause() : undefined`,
      replace: `if (take === undefined) return`
    }
  ]
} satisfies Mutants
