/** In which forms a client takes an answer. */
import * as EventStream from "@parley/http/EventStream"
import * as MediaType from "@parley/http/MediaType"
import type { Head } from "@parley/http/RequestRules"

/** A client that takes anything may not know what events are: it gets JSON. @internal */
export type Accepted = "both" | "json" | "events" | "nothing"

/** What the answer to a POST may be. Who does not say takes JSON. @internal */
export const ofPost = (head: Head): Accepted => {
  const accept = head.header("accept")
  // What the specification has clients send, without a closer look.
  if (accept === MediaType.jsonOrEvents) return "both"
  if (accept === undefined) return "json"
  const ranges = accept.split(",").filter((range) => !refused.test(range)).map(MediaType.essenceOf)
  const takesJson = ranges.some((range) => json.has(range))
  const takesEvents = ranges.includes(EventStream.contentType)
  return takesJson ? takesEvents ? "both" : "json" : takesEvents ? "events" : "nothing"
}

/** Whether the answer to a GET may be events: it cannot be anything else. @internal */
export const isOfGet = (head: Head): boolean => {
  const accept = head.header("accept")
  return accept === undefined || MediaType.acceptsEvents(accept) ||
    accept.split(",").some((range) => !refused.test(range) && events.has(MediaType.essenceOf(range)))
}

/** What the answer to a POST may be that is a stream until its client leaves, unless it is an error. @internal */
export const ofListening = (head: Head): Accepted => {
  const accept = ofPost(head)
  return accept === "events" ? accept : isOfGet(head) ? "both" : "nothing"
}

const json: ReadonlySet<string> = new Set(["application/json", "application/*", "*/*"])

const events: ReadonlySet<string> = new Set(["text/*", "*/*"])

const refused = /;\s*q\s*=\s*0(\.0*)?\s*(;|$)/i
