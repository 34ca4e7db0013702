import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/AfterReply.ts",
  test: "packages/peer/test/regression/streams.test.ts",
  mutants: [
    {
      name: "what-runs-after-replies-has-no-limit",
      promise: 17,
      find: `size: () => fibers.size`,
      replace: `size: () => 0`
    },
    {
      name: "what-runs-after-a-reply-outlives-the-connection",
      promise: 19,
      find: `      for (const fiber of [...fibers]) fiber.interruptUnsafe()\n`,
      replace: ``
    },
    {
      name: "what-finds-the-connection-gone-is-kept",
      promise: 8,
      title: "where its call is cancelled, and where the connection ends before its batch is answered",
      find: `        if (over) drop([left])\n        else start(left.effect)`,
      replace: `        if (!over) start(left.effect)`
    }
  ]
} satisfies Mutants
