import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/Contract.ts",
  test: "packages/contract/test/Middleware.test.ts",
  mutants: [
    {
      name: "middleware-wraps-nothing",
      promise: 15,
      title: "wraps every handler of a contract, and provides what they require",
      find: `router.add(method, wrap(handler), { order, exact })`,
      replace: `router.add(method, handler, { order, exact })`
    },
    {
      name: "picked-members-lose-the-errors-of-their-contract",
      promise: 2,
      title: "fails with an error of the contract under a prefix",
      find: `contract.errors, undefined)`,
      replace: `{} as E, undefined)`
    }
  ]
} satisfies Mutants
