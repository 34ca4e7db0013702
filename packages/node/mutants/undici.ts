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
      find: `nested: dispatcher({ ...settings, connections: Limits.make(options.limits).connections })`,
      replace: `nested: dispatcher(settings)`
    },
    {
      name: "replies-wait-for-the-connections-of-calls",
      promise: 12,
      test: "packages/node/test/regression/http.test.ts",
      title: "promise 12: the receive loop waits for nothing but the transport: handlers call back at any load",
      find: `pools[fiber.getRef(Share)]`,
      replace: `pools.call`
    },
    {
      name: "replies-over-a-fetcher-wait-for-the-connections-of-calls",
      promise: 12,
      test: "packages/node/test/regression/http.test.ts",
      title: "promise 12: the receive loop waits for nothing but the transport: handlers call back at any load",
      find: `agents[fiber.getRef(Share)]`,
      replace: `agents.call`
    }
  ]
} satisfies Mutants
