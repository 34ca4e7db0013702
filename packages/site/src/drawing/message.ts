import { arrow, bottom, box, type Drawing, left, right, top, word } from "./Drawing.ts"

const wire = { x: 16, y: 16, w: 368, h: 34 }
const [column, wide] = [16, 170]
const framingIn = { x: column, y: 84, w: wide, h: 36 }
const readLoop = { x: column, y: 156, w: wide, h: 56 }
const intake = { x: column, y: 248, w: wide, h: 36 }
const dispatcher = { x: column, y: 388, w: wide, h: 56 }
const handler = { x: column, y: 480, w: wide, h: 56 }
const framingOut = { x: 214, y: 84, w: wide, h: 36 }
const queue = { x: 214, y: 156, w: wide, h: 56 }
const outgoing = { x: 214, y: 248, w: wide, h: 56 }
const correlator = { x: 214, y: 340, w: wide, h: 36 }
const caller = { x: 214, y: 480, w: wide, h: 56 }

export const message: Drawing = {
  name: "message",
  title: "The way of a message",
  description: "Bytes go through the framing and the read loop, which decodes them, to the intake. The intake gives "
    + "responses to the correlator, which settles their callers, and requests to the dispatcher, whose inbox leads to "
    + "the router and the handler. The reply goes to the write queue. Calls of a program or a handler go through the "
    + "outgoing calls, which keep the window, to the same queue, and from there through the framing to the wire.",
  height: 552,
  parts: [
    box(wire, ["the wire"]),
    arrow([[101, 50], top(framingIn)]),
    word([110, 72], "bytes", { anchor: "start", kind: "quiet" }),
    arrow([bottom(framingIn), top(readLoop)]),
    word([110, 143], "text", { anchor: "start", kind: "quiet" }),
    arrow([bottom(readLoop), top(intake)]),
    word([110, 235], "message", { anchor: "start", kind: "quiet" }),
    arrow([bottom(intake, 0.1), top(dispatcher, 0.1)]),
    word([40, 348], "request,", { anchor: "start", kind: "quiet" }),
    word([40, 368], "notification", { anchor: "start", kind: "quiet" }),
    arrow([bottom(intake, 0.85), [160.5, 358], left(correlator)]),
    word([154, 310], "response", { anchor: "end", kind: "quiet" }),
    arrow([bottom(dispatcher), top(handler)]),
    arrow([right(handler, 0.3), [200, 497], [200, 184], left(queue)]),
    word([206, 430], "reply", { anchor: "start", kind: "quiet" }),
    arrow([top(queue), bottom(framingOut)]),
    arrow([top(framingOut), [299, 50]]),
    arrow([top(outgoing), bottom(queue)]),
    arrow([bottom(correlator), top(caller)]),
    word([308, 430], "result", { anchor: "start", kind: "quiet" }),
    arrow([right(caller), [393, 508], [393, 276], right(outgoing)]),
    box(framingIn, ["Framing"]),
    box(readLoop, ["ReadLoop", "decodes, if room"]),
    box(intake, ["Intake"]),
    box(dispatcher, ["Dispatcher", "inbox, in order"]),
    box(handler, ["Router", "handler"]),
    box(framingOut, ["Framing"]),
    box(queue, ["StreamLane", "one write for all"]),
    box(outgoing, ["OutgoingCalls", "ids and window"]),
    box(correlator, ["Correlator"]),
    box(caller, ["Caller", "program or handler"])
  ]
}
