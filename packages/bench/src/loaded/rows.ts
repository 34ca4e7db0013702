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
    name: "chunk",
    title: "Texts in one chunk of a memory transport",
    unit: "text",
    counts: [1, 64, 512, 4_096, 16_384, 32_000],
    subjects: all,
    memory: "peak",
    words: "A memory transport brings so many requests as one chunk. Each handler takes 5 ms. Both sides are in one "
      + "process."
  }
]
