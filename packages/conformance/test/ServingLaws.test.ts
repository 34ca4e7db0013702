import { assert, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Dialect from "@parley/protocol/Dialect"
import type { Transport } from "@parley/transport/Transport"
import { Effect, Semaphore } from "effect"
import * as Specimen from "../src/Specimen.ts"
import { breaks, patience, quick, titles } from "./support/breaks.ts"
import { type Change, changed, connect, connectHalfOpen } from "./support/servers.ts"

type Connect = Laws.Served["connect"]

const isJson = (text: string): boolean => {
  try {
    return JSON.parse(text) !== undefined
  } catch {
    return false
  }
}

const has = (text: string, member: string): boolean => isJson(text) && Object.hasOwn(Object(JSON.parse(text)), member)

/** Takes a batch apart, and answers it in the order in which its members end. */
const inOrderOfEnd = (): Change => {
  const replies: Array<string> = []
  let open = 0
  return {
    sent: (text) => {
      if (!text.startsWith("[{")) return [text]
      const members: ReadonlyArray<unknown> = JSON.parse(text)
      open = members.length
      return members.map((member) => JSON.stringify(member))
    },
    received: (text) => {
      if (open === 0 || has(text, "method")) return [text]
      replies.push(text)
      return --open === 0 ? [`[${replies.join(",")}]`] : []
    }
  }
}

/** Of requests with one id, only the first is looked at. */
const onlyFirst = (): Change => {
  const seen = new Set<unknown>()
  return {
    sent: (text) => {
      const { id } = JSON.parse(text)
      if (seen.has(id)) return []
      seen.add(id)
      return [text]
    }
  }
}

/** Takes two texts or more at once, and loses one that comes by itself. */
const losesSingleTexts: Connect = Effect.map(connect(), (inner) => ({
  ...inner,
  send: (texts) => texts.length === 1 ? Effect.void : inner.send(texts)
}))

/** A text that is not JSON on one connection ends all of them. */
const sharesItsEnd = (): Connect => {
  const all: Array<Transport> = []
  return Effect.map(connect(), (inner) => {
    all.push(inner)
    return {
      ...inner,
      send: (texts) =>
        texts.every(isJson) ? inner.send(texts) : Effect.forEach(all, ({ close }) => close, { discard: true })
    }
  })
}

const gate = Semaphore.makeUnsafe(4)

const servers: ReadonlyArray<readonly [what: string, connect: Connect, title: string]> = [
  [
    "has a code of its own",
    changed(() => ({ received: (text) => [text.replace("-32600", "-32000")] })),
    "every text of the corpus is answered exactly"
  ],
  ["answers twice", changed(() => ({ received: (text) => [text, text] })), "each request gets one reply, with its id"],
  [
    "rounds the ids",
    changed(() => ({ received: (text) => [JSON.stringify(JSON.parse(text))] })),
    "each request gets one reply, with its id"
  ],
  [
    "answers notifications",
    changed(() => ({ sent: (text) => [has(text, "id") ? text : text.replace(/\}$/, ",\"id\":null}")] })),
    "notifications and responses get none"
  ],
  ["ends with a bad text", connect({ limits: { badFrames: 1 } }), "a bad text costs one error reply, and no more"],
  [
    "answers the last of a batch first",
    changed(() => ({
      received: (text) => [text.startsWith("[") ? JSON.stringify(JSON.parse(text).toReversed()) : text]
    })),
    "the replies of a batch are one text, in the order of its requests"
  ],
  ["drops what has the id of another", changed(onlyFirst), "requests with equal ids are both answered"],
  ["does one thing at a time", connect({ limits: { inFlight: 1 } }), "a slow request holds back no other"],
  [
    "takes its time for notifications",
    connect({
      handlers: {
        callback: (call) =>
          call.id === undefined
            ? Effect.asVoid(Effect.forkDetach(Effect.delay(Specimen.callback(call), "10 millis")))
            : Specimen.callback(call)
      }
    }),
    "notifications keep their order, and a request comes after those before it"
  ],
  [
    "hides the errors of callbacks",
    connect({
      handlers: { callback: (call) => Effect.mapError(Specimen.callback(call), ErrorResponse.internalError) }
    }),
    "a callback reaches the caller, and its outcome comes back"
  ],
  [
    "has room for four callbacks",
    connect({ handlers: { callback: (call) => gate.withPermits(1)(Specimen.callback(call)) } }),
    "callbacks within callbacks come back"
  ],
  [
    "answers a batch as it ends",
    changed(inOrderOfEnd),
    "the replies of a batch keep their order, whichever ends first"
  ],
  [
    "does not cancel",
    connect({ dialect: Dialect.make({ name: "none", cancellation: undefined }) }),
    "a cancelled request ends, and no other"
  ],
  [
    "takes every id for a number",
    changed(() => ({ sent: (text) => [text.replace("\"params\":{\"id\":\"7\"}", "\"params\":{\"id\":7}")] })),
    "a cancelled request ends, and no other"
  ],
  [
    "cancels something",
    changed(() => ({
      sent: (
        text
      ) => [text.includes("$/cancelRequest") ? text.replace(/"params":.*\}$/, "\"params\":{\"id\":7}}") : text]
    })),
    "a cancellation that names no request is ignored"
  ],
  ["loses single texts", losesSingleTexts, "a line that delays and takes apart changes no answer"],
  ["shares its end", sharesItsEnd(), "a line that garbles and breaks harms no other connection"]
]

const drains = "end of input drains: what was sent before is answered, and then it ends"

const serving = (name: string, connect: Connect, halfOpen: number) =>
  Laws.ofServer({ name, connect, connectHalfOpen: connectHalfOpen(halfOpen), patience }, quick)

describe("the laws of servers", () => {
  for (const [what, connection, title] of servers) {
    it.live(`find one that ${what}: ${title}`, () => breaks(serving(what, connection, 1_000), title))
  }

  it.live(`find one that stops at the end of input: ${drains}`, () => breaks(serving("stops", connect(), 0), drains))

  it("can all fail", () => {
    assert.sameMembers([...new Set([...servers.map(([, , title]) => title), drains])], [
      ...titles(serving("none", connect(), 0))
    ])
  })
})

describe("the laws of hosts", () => {
  const answer = () => Effect.succeed(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`)
  const laws = Laws.ofHost({ name: "always the same", answer }, quick)
  for (const title of titles(laws)) {
    it.live(`find one that always answers the same: ${title}`, () => breaks(laws, title))
  }
})
