/** The promises of ARCHITECTURE.md by number. A test that keeps one is titled `promise N: <name>`, then what it adds. */
export const promises = {
  1: "every text decodes to a value",
  2: "decode after encode is the identity",
  3: "an id comes back as it was sent",
  4: "any way of cutting the bytes gives the same frames",
  5: "a frame beyond its limit is never buffered",
  6: "a foreign protocol is closed and runs nothing",
  7: "a call ends exactly once",
  8: "an interrupted or timed-out call leaves nothing behind",
  9: "closing ends every call with Disconnected",
  10: "a response that arrives before send returns is not lost",
  11: "what belongs to a call reaches it before its response",
  12: "the receive loop waits for nothing but the transport",
  13: "notifications keep their order",
  14: "one bad message costs one error reply",
  15: "a defect answers -32603 without data",
  16: "ids start at 1 and are never reused",
  17: "calls beyond the in-flight limit wait in a bounded inbox",
  18: "callers suspend on a full outbox",
  19: "end of input drains",
  20: "a notification is never answered",
  21: "no timer without need",
  22: "when nothing moves, nothing waits that could move",
  23: "a side serves only the router that it was given",
  24: "what a handler acquires is released when its call ends",
  25: "what waits for the end of a connection runs once",
  26: "nobody waits for a recipient that does not read",
  27: "nothing is dropped but by policy",
  28: "what is published is encoded once"
} as const

/** Clauses of promises. A test that keeps one is titled `promise N: <name>: <clause>`, and so is that of a mutant which breaks it. */
export const clauses = [
  {
    promise: 9,
    clause:
      "a call is retried only when it was not sent, or the other side said that it did not start it, or its method is idempotent"
  },
  { promise: 19, clause: "streams end first" }
] as const

export type PromiseNumber = keyof typeof promises
