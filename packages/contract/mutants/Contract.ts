import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/Contract.ts",
  test: "packages/contract/test/Middleware.test.ts",
  mutants: [
    {
      name: "middleware-wraps-nothing",
      promise: 15,
      title: "wraps every handler of a contract, and provides what they require",
      find: `router.add(method, middleware(handler), { order, exact })`,
      replace: `router.add(method, handler, { order, exact })`
    }
  ]
} satisfies Mutants
