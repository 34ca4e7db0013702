import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/shared/NodeExchange.ts",
  test: "packages/node/test/NodeHttpCaller.test.ts",
  mutants: [
    {
      name: "replies-wait-for-the-connections-of-calls",
      promise: 12,
      test: "packages/node/test/regression/http.test.ts",
      title: "promise 12: the receive loop waits for nothing but the transport: handlers call back at any load",
      find: `connections[fiber.getRef(Exchange.Share)].dispatch({ path, method: "POST"`,
      replace: `connections.call.dispatch({ path, method: "POST"`
    },
    {
      name: "headers-of-all-are-stronger-than-those-of-a-call",
      promise: 15,
      title: "headers of a call are stronger",
      test: "packages/node/test/NodeHttpUrl.test.ts",
      find: `...HttpFetcher.lowerCased(options.headers ?? {})`,
      replace: `...options.headers`
    }
  ]
} satisfies Mutants
