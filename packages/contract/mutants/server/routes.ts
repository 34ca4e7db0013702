import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/server/routes.ts",
  test: "packages/contract/test/Calls.test.ts",
  mutants: [
    {
      name: "concurrent-methods-wait",
      promise: 13,
      find: `? "afterNotifications" : member.order`,
      replace: `? "afterNotifications" : "afterNotifications"`
    },
    {
      name: "errors-of-middleware-stay-unwritten",
      promise: 2,
      test: "packages/contract/test/Middleware.test.ts",
      title: "fails with an error of the contract, which its client catches as the class",
      find: `onFailure: Serve.failures(errors)`,
      replace: `onFailure: Serve.failures({})`
    },
    {
      name: "closing-waits",
      promise: 13,
      test: "packages/contract/test/subscription/Publishing.test.ts",
      title: "is closed even behind a slow notification",
      find: `Publish.closing(open), order: "concurrent"`,
      replace: `Publish.closing(open), order: "afterNotifications"`
    }
  ]
} satisfies Mutants
