import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/http/exchange.ts",
  test: "packages/node/test/NodeHttpCaller.test.ts",
  mutants: [
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
