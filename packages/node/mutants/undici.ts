import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/http",
  test: "packages/node/test/NodeHttpCaller.test.ts",
  mutants: [
    {
      name: "a-call-that-never-left-counts-as-sent",
      promise: 9,
      title: "nobody who listens, or no name",
      find: `const sent = this.#controller !== undefined`,
      replace: `const sent = true`
    },
    {
      name: "nested-calls-wait-for-the-connections-of-calls",
      promise: 12,
      test: "packages/node/test/regression/http.test.ts",
      title: "promise 12: the receive loop waits for nothing but the transport: handlers call back to any depth",
      find: `nested: connections(Math.max(most, Limits.make(options.limits).connections - 2 * most))`,
      replace: `nested: connections(most)`
    },
    {
      name: "replies-over-a-fetcher-wait-for-the-connections-of-calls",
      promise: 12,
      test: "packages/node/test/regression/http.test.ts",
      title: "promise 12: the receive loop waits for nothing but the transport: handlers call back at any load",
      find: `to[fiber.getRef(Exchange.Share)].dispatch({ origin`,
      replace: `to.call.dispatch({ origin`
    },
    {
      name: "a-caller-opens-more-connections-than-a-listener-takes",
      promise: 12,
      test: "packages/node/test/regression/connections.test.ts",
      find: `.connections - 2 * most`,
      replace: `.connections`
    },
    {
      name: "a-request-that-is-given-up-waits-on-for-a-connection",
      promise: 8,
      test: "packages/node/test/regression/connections.test.ts",
      find: `this.line?.withdraw(this)`,
      replace: ``
    },
    {
      name: "requests-wait-in-the-queue-of-undici",
      promise: 8,
      test: "packages/node/test/regression/connections.test.ts",
      find: `if (this.#open >= this.#most)`,
      replace: `if (this.#open >= Infinity)`
    },
    {
      name: "a-free-connection-is-given-twice",
      promise: 8,
      test: "packages/node/test/regression/connections.test.ts",
      find: `this.line = undefined line?.handOver()`,
      replace: `line?.handOver()`
    },
    {
      name: "a-line-that-was-empty-moves-no-more",
      promise: 22,
      test: "packages/node/test/regression/connections.test.ts",
      find: `      this.#order = this.#waiting.entries()\n`,
      replace: ``
    },
    {
      name: "a-taker-gets-nothing-for-ever",
      promise: 22,
      test: "packages/node/test/fetcher/HttpFetcher.test.ts",
      find: "if (!this.isEnded && chunk.length > 0)",
      replace: "if (!this.isEnded)",
      title: "gives each piece once to a taker that waits after each"
    }
  ]
} satisfies Mutants
