import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal",
  test: "packages/node/test/NodeHost.test.ts",
  mutants: [
    {
      name: "healthy-while-it-ends",
      promise: 19,
      find: `unavailable ?? healthy`,
      replace: `healthy`
    },
    {
      name: "a-port-that-ends-listens",
      promise: 19,
      find: `if (this.#options.health === undefined) this.server.close()`,
      replace: ``
    },
    {
      name: "a-route-that-has-drained-forgets-its-words",
      promise: 19,
      find: `if (this.phase !== "draining") routes.delete(path)`,
      replace: `routes.delete(path)`
    },
    {
      name: "open-before-its-routes",
      promise: 23,
      title: "answers 503 until its routes are there",
      find: `phase: "starting" | "open" | "draining" = "starting"`,
      replace: `phase: "starting" | "open" | "draining" = "open"`
    },
    {
      name: "an-offer-of-http2-is-refused",
      promise: 14,
      title: "takes whole URLs and offers of other protocols as any request",
      find: `return this.#upgrades.has(path) && !this.#requests.has(path)`,
      replace: `return true`
    },
    {
      name: "an-offer-of-http2-is-refused-where-no-route-is",
      promise: 14,
      title: "takes whole URLs and offers of other protocols as any request",
      find: `return this.#upgrades.has(path) && !this.#requests.has(path)`,
      replace: `return !this.#requests.has(path)`
    },
    {
      name: "who-ends-its-side-is-served",
      promise: 8,
      test: "packages/node/test/NodeHttpServer.test.ts",
      title: "promise 8: an interrupted or timed-out call leaves nothing behind: a client that ends its side",
      find: `this.server.on("checkContinue", take)`,
      replace: `this.server.on("checkContinue", take)\n    Object.assign(this.server, { httpAllowHalfOpen: true })`
    },
    {
      name: "an-upgrade-overtakes-an-answer",
      promise: 14,
      title: "no upgrade overtakes the answers before it",
      find: `if (this.#owes(request)) return void tcp.destroy()`,
      replace: ``
    },
    {
      name: "who-runs-too-long-is-cut-off",
      promise: 19,
      test: "packages/node/test/NodeHttpServer.test.ts",
      find: `else if (owner !== undefined) owner.refuse(RequestRules.shuttingDown)`,
      replace: `else if (owner !== undefined) response.destroy()`
    },
    {
      name: "a-listener-that-ends-accepts",
      promise: 19,
      test: "packages/node/test/draining.test.ts",
      find: `stop: Effect.andThen(Effect.sync(() => server.close()), stop)`,
      replace: `stop`
    }
  ]
} satisfies Mutants
