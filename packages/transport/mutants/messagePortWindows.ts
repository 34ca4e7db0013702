import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/MessagePortTransport.ts",
  test: "packages/transport/test/messagePortWindows.test.ts",
  mutants: [
    {
      name: "window-hears-other-origins",
      promise: 6,
      find: `event.source === target && event.origin === origin`,
      replace: `event.source === target`
    }
  ]
} satisfies Mutants
