/** All rows. Their modules are loaded by `load.ts`, each in a process of its own. */
import type { Row } from "./Row.ts"

const all = ["parley", "json-rpc-2.0", "floor"]
const alone = ["parley", "floor"]

export const rows: ReadonlyArray<Row> = [
  {
    name: "calls",
    title: "Calls that a client writes at once",
    unit: "call",
    counts: [1, 64, 512, 4_096, 16_384, 65_000],
    subjects: all,
    memory: "peak",
    words: "A raw client in another process writes so many requests at once over TCP and reads all answers, again and "
      + "again. Each handler takes 5 ms. The processor time is that of the server."
  },
  {
    name: "subscriptions",
    title: "Subscriptions open on one connection",
    unit: "item",
    counts: [1, 16, 64, 256, 1_024, 4_096],
    subjects: alone,
    memory: "held",
    words:
      "A client of a contract has so many subscriptions open, each with a consumer. Items come in chunks of 64, for "
      + "one subscription after the other. The floor has a Map of callbacks.",
    why:
      "A profile has the same functions for 64 and for 4,096, and none looks at more. With 4,096 the garbage collector takes "
      + "2 µs more for each item, which is new and belongs to an object of its own that is old; and the functions that touch a "
      + "subscription first, which find its listener and keep its item, take 3 µs more: so many times 8 KB are more than the "
      + "caches next to a processor hold."
  },
  {
    name: "connections",
    title: "Connections that share a spent budget",
    unit: "answer",
    counts: [1, 64, 256, 1_024, 4_096, 10_000],
    subjects: all,
    memory: "held",
    words:
      "Something else holds the whole budget, and each connection has its guarantee. Calls come by turns, and a write "
      + "of each connection waits, as the other side does not read. The connections are transports in memory, so that they "
      + "need no file descriptors. The others have no budget, and as many servers.",
    why:
      "A profile has the same functions for 64 and for 10,000. With 10,000 the garbage collector takes 2 µs more for each "
      + "answer, which is new and waits in an object of its own that is old; the budget 1 µs, because its heaps are deeper; and "
      + "whatever touches a connection first is two to six times as slow: so many times 10 KB are more than the caches of a "
      + "processor hold."
  },
  {
    name: "waiting",
    title: "Calls that wait, with ids in strides",
    unit: "response",
    counts: [1, 64, 256, 1_024, 4_096, 16_384, 65_000],
    subjects: all,
    memory: "held",
    words:
      "Of each so many calls all but one are answered at once, until so many wait. Their ids are as far apart as there "
      + "are of them, at a power of two, but not so far that more than 40,000 calls are made, or two for each. Then they are "
      + "answered out of order, which is measured. As many clients do so together that a turn has 1,024 responses. The limit "
      + "`window` is raised.",
    why: "The floor rises as much: calls that are answered out of order lie all over the memory."
  },
  {
    name: "sliding",
    title: "Items that a sliding queue keeps",
    unit: "item",
    counts: [10, 100, 1_000, 10_000, 100_000],
    subjects: alone,
    memory: "held",
    words:
      "A subscription with a sliding queue of so many items, and a consumer that takes none: each item of the wire "
      + "drops the oldest one. The floor keeps parsed items in a ring."
  },
  {
    name: "batches",
    title: "Members of a batch",
    unit: "member",
    counts: [1, 16, 64, 256, 1_000],
    subjects: all,
    memory: "peak",
    words: "Batches of so many requests come one after the other, into handlers that return at once."
  },
  {
    name: "listeners",
    title: "Listeners to one method",
    unit: "delivery",
    counts: [1, 16, 64, 256, 512, 1_000],
    from: 256,
    subjects: alone,
    memory: "held",
    words:
      "Each notification is offered to so many listeners, none of which takes it. With few listeners the notification "
      + "itself costs more than its deliveries, so that the target compares from 256 on."
  },
  {
    name: "chunk",
    title: "Texts in one chunk of a memory transport",
    unit: "text",
    counts: [1, 64, 512, 4_096, 16_384, 32_000],
    subjects: all,
    memory: "peak",
    words:
      "A memory transport brings so many requests as one chunk, and each handler lets others go on first. The limits "
      + "`inFlight` and `inbox` are 1, so that each text has to wait for room; the others have no limits. Both sides are in "
      + "one process."
  },
  {
    name: "broadcast",
    title: "Connections that are told the same",
    unit: "delivery",
    counts: [1, 64, 256, 1_000],
    subjects: alone,
    memory: "held",
    isNew: true,
    rounds: 7,
    words:
      "One notification goes to so many connections over TCP, which read everything in another process. The floor has a "
      + "loop that writes the bytes of the prepared text to each socket. Most of the work is that of the system, whose cost "
      + "varies: each cost is the median of seven measurements, which the two took in turn."
  }
]
