import { arrow, bottom, type Box, box, type Drawing, top, word } from "./Drawing.ts"

const scene = (from: number) =>
  ({
    edge: { x: 130, y: from + 20, w: 140, h: 36 },
    a: { x: 16, y: from + 116, w: 108, h: 56 },
    b: { x: 146, y: from + 116, w: 108, h: 56 },
    c: { x: 276, y: from + 116, w: 108, h: 56 },
    engine: { x: 16, y: from + 244, w: 368, h: 56 }
  }) satisfies Record<string, Box>

const before = scene(36)
const after = scene(396)

export const nodes: Drawing = {
  name: "session-over-nodes",
  title: "A session over several nodes, and the death of its owner",
  description:
    "Before: node A owns a session by a lease with epoch 7. A request that the balancer gives to node B is forwarded to A "
    + "over the engine, and the answer comes back the same way. After: A is dead or stands still, and its lease has run "
    + "out. The next request reaches B, which takes the session up with epoch 8. A write of A with epoch 7 is refused.",
  height: 716,
  parts: [
    word([200, 36], "A owns the session", { kind: "strong" }),
    box(before.edge, ["balancer"]),
    arrow([bottom(before.edge), top(before.b)]),
    word([210, 130], "request", { anchor: "start", kind: "quiet" }),
    arrow([bottom(before.b), top(before.engine)]),
    arrow([[43, 280], bottom(before.a, 0.25)]),
    word([208, 254], "forwarded to A", { anchor: "start", kind: "quiet" }),
    arrow([bottom(before.a, 0.67), [88.36, 280]], "accent"),
    word([96, 254], "lease", { anchor: "start", kind: "accent" }),
    box(before.a, ["node A", "runs the call"], "accent"),
    box(before.b, ["node B"]),
    box(before.c, ["node C"]),
    box(before.engine, ["engine: Redis or NATS", "session → A, epoch 7; its events"]),
    word([200, 396], "A is dead, or stands still", { kind: "strong" }),
    box(after.edge, ["balancer"]),
    arrow([bottom(after.edge), top(after.b)]),
    word([210, 490], "next request", { anchor: "start", kind: "quiet" }),
    arrow([bottom(after.b), top(after.engine)], "accent"),
    word([208, 612], "lease, epoch 8", { anchor: "start", kind: "accent" }),
    arrow([bottom(after.a), [70, 636]], "lost"),
    word([78, 608], "epoch 7:", { anchor: "start", kind: "lost" }),
    word([78, 628], "refused", { anchor: "start", kind: "lost" }),
    box(after.a, ["node A", "fenced"], "lost"),
    box(after.b, ["node B", "takes it up"], "accent"),
    box(after.c, ["node C"]),
    box(after.engine, ["engine: Redis or NATS", "session → B, epoch 8; its events"])
  ]
}
