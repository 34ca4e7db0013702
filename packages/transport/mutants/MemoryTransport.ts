import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/MemoryTransport.ts",
  test: "packages/transport/test/MemoryTransport.test.ts",
  mutants: [
    {
      name: "closing-drops-what-was-sent",
      promise: 19,
      find: `other.inbox.end({ _tag: "EndOfInput" })`,
      replace: `other.inbox.close()`
    }
  ]
} satisfies Mutants
