/** Which changes meet calls that were made: what clients sent is held against both contracts. */
import { JsonObject } from "@parley/protocol/shared"
import * as Recorder from "@parley/traffic/Recorder"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Json from "../../probe/Json.ts"
import { fits, type SchemaNode } from "../containment/SchemaNode.ts"
import { keyOf, nodeOf, type Operation, type Surface } from "../Surface.ts"
import type { Change } from "./Change.ts"

/** A call of a recording. */
interface Call {
  readonly key: string
  readonly text: string
  /** The params that were sent to the side that serves the operation. */
  readonly params: Schema.Json | undefined
}

/** The same changes with the calls that they meet. */
export const withCalls = (
  changes: ReadonlyArray<Change>,
  before: Surface,
  after: Surface,
  lines: Iterable<string>
): ReadonlyArray<Change> => {
  const calls = Map.groupBy(callsOf(lines), ({ key }) => key)
  return changes.map((change) => {
    if (change.verdict === "compatible") return change
    const used = [change.operation, ...change.others].flatMap((key) => calls.get(key) ?? [])
    const met = used.filter((call) => meets(change, call, before, after))
    const [first] = met
    return { ...change, traffic: { calls: met.length, example: first?.text ?? "" } }
  })
}

/**
 * Whether a change meets a call: its params are refused now. What may come back in future was not recorded: there each call
 * of the operation counts.
 */
const meets = (change: Change, { key, params }: Call, before: Surface, after: Surface): boolean => {
  const isParams = change.place === "" || change.place.startsWith("params")
  const now = after.operations.get(key)
  const old = before.operations.get(key)
  if (!isParams || now === undefined || old === undefined || change.direction === "gets") return true
  if (change.rule === "diff/kind") return true
  const value = params ?? (old.structure === "by-position" ? [] : {})
  return nodesOf(after, now).every((node) => fits(node, value) === false)
}

const nodesOf = (surface: Surface, operation: Operation): ReadonlyArray<SchemaNode> =>
  (["named", "positional"] as const).flatMap((member) => nodeOf(surface, operation, member) ?? [])

/** The calls of a recording, in either direction. Lines that are none are left out. */
const callsOf = (lines: Iterable<string>): ReadonlyArray<Call> => {
  const calls: Array<Call> = []
  for (const line of lines) {
    const frame = Option.getOrUndefined(Result.getSuccess(Recorder.fromLine(line)))
    if (frame === undefined || !("text" in frame)) continue
    const json = Option.getOrUndefined(Json.parse(frame.text))
    for (const message of JsonObject.isArray(json) ? json : [json]) {
      const call = callOf(message, frame._tag === "Sent")
      if (call !== undefined) calls.push(call)
    }
  }
  return calls
}

const callOf = (message: Schema.Json | undefined, isSent: boolean): Call | undefined => {
  const method = JsonObject.member(message, "method")
  if (typeof method !== "string") return undefined
  const direction = isSent ? "client-to-server" : "server-to-client"
  const params = JsonObject.member(message, "params")
  const text = JSON.stringify(message)
  const offered = offers.get(method)
  const name = offered === undefined ? undefined : JsonObject.member(params, offered.name)
  if (offered === undefined || typeof name !== "string") {
    return { key: keyOf({ kind: "method", name: method, direction }), text, params }
  }
  const args = JsonObject.member(params, "arguments")
  return { key: keyOf({ kind: offered.kind, name, direction }), text, params: args }
}

/** The methods of MCP by which what a server lists is used. */
const offers: ReadonlyMap<string, { readonly kind: Operation["kind"]; readonly name: string }> = new Map([
  ["tools/call", { kind: "tool", name: "name" }],
  ["prompts/get", { kind: "prompt", name: "name" }],
  ["resources/read", { kind: "resource", name: "uri" }]
])
