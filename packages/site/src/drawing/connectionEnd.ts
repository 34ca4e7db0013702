import { arrow, bottom, box, type Drawing, right, top, word } from "./Drawing.ts"

const at = (y: number, h = 56) => ({ x: 16, y, w: 270, h })
const [open, finishing, refusing, ending, closed] = [at(16), at(128), at(240), at(352), at(464, 36)]

export const connectionEnd: Drawing = {
  name: "connection-end",
  title: "The end of a connection",
  description:
    "An open connection is finishing after end of input: what was read runs, and is answered. When our side shuts "
    + "down, it is refusing: running calls have their time, and requests that have not started are refused. When that time is over, "
    + "or at once after any other end, it is ending: handlers are interrupted. Then it is closed.",
  height: 516,
  parts: [
    arrow([bottom(open), top(finishing)]),
    word([160, 105], "end of input", { anchor: "start", kind: "accent" }),
    arrow([bottom(finishing), top(refusing)]),
    word([160, 217], "our side shuts down", { anchor: "start", kind: "accent" }),
    arrow([bottom(refusing), top(ending)]),
    word([160, 329], "Limits.drain is over", { anchor: "start", kind: "accent" }),
    arrow([bottom(ending), top(closed)]),
    word([160, 441], "all is released", { anchor: "start", kind: "accent" }),
    arrow([right(open), [330, 44], [330, 380], right(ending)], "lost"),
    ...["any", "other", "end"].map((text, line) =>
      word([338, 194 + 20 * line], text, { anchor: "start", kind: "lost" })
    ),
    box(open, ["open", "both sides call and serve"]),
    box(finishing, ["finishing", "what was read is answered"]),
    box(refusing, ["refusing", "only running calls go on"]),
    box(ending, ["ending", "handlers are interrupted"]),
    box(closed, ["closed"])
  ]
}
