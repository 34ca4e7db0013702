import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/MemoryTransport.ts",
  test: "packages/transport/test/MemoryTransport.test.ts",
  mutants: [
    {
      name: "memory-without-bound",
      promise: 18,
      find: `this.size > this.capacity ? this.room : Exit.void`,
      replace: `Exit.void`
    },
    {
      name: "stalled-reader-never-stops-the-sender",
      promise: 18,
      find: `this.size += text.length`,
      replace: `this.size = 0`
    },
    {
      name: "closing-drops-what-was-sent",
      promise: 19,
      find: `    this.ended ??= failure\n    this.wake()`,
      replace: `    this.ended ??= failure\n    this.texts = []\n    this.wake()`
    }
  ]
} satisfies Mutants
