import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/MemoryTransport.ts",
  test: "packages/transport/test/MemoryTransport.test.ts",
  mutants: [
    {
      name: "memory-without-bound",
      promise: 18,
      find: `other.inbox.unread > capacity ? other.senders.wait : Exit.void`,
      replace: `Exit.void`
    },
    {
      name: "stalled-reader-never-stops-the-sender",
      promise: 18,
      find: `other.inbox.keep(text, text.length)`,
      replace: `other.inbox.keep(text, 0)`
    },
    {
      name: "closing-drops-what-was-sent",
      promise: 19,
      find: `other.inbox.end({ _tag: "EndOfInput" })`,
      replace: `other.inbox.close()`
    }
  ]
} satisfies Mutants
