import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/httpExchange.ts",
  test: "packages/node/test/NodeHttpCaller.test.ts",
  mutants: [
    {
      name: "an-abandoned-post-keeps-its-connection",
      promise: 8,
      find: `    this.#controller?.abort(new Error("the request was given up"))\n`,
      replace: ``
    },
    {
      name: "a-call-that-never-left-counts-as-sent",
      promise: 9,
      title: "nobody who listens, or no name",
      find: `const sent = this.#controller !== undefined`,
      replace: `const sent = true`
    },
    {
      name: "headers-of-all-are-stronger-than-those-of-a-call",
      promise: 15,
      title: "headers of a call are stronger",
      test: "packages/node/test/NodeHttpUrl.test.ts",
      find: `...lowerCased(options.headers ?? {})`,
      replace: `...options.headers`
    },
    {
      name: "events-are-read-without-waiting-for-who-takes-them",
      promise: 18,
      title: "a pause makes the server wait",
      find: `    this.#controller?.pause()\n`,
      replace: ``
    }
  ]
} satisfies Mutants
