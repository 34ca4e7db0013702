import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/internal/messages.ts",
  test: "packages/transport/test/regression/messagePorts.test.ts",
  mutants: [
    {
      name: "messages-behind-a-full-window-are-too-much",
      promise: 18,
      title: "a frame behind a full window",
      find: `limits.frame + overhead + window`,
      replace: `limits.frame + window`
    }
  ]
} satisfies Mutants
