/**
 * The target of a call: one feature by its name, the resource at a URI, or all features. Nobody waits for a source that
 * cannot have it.
 */
import type * as Schema from "effect/Schema"
import type { Wanted } from "../../../server/FeatureSource.ts"
import { isObject } from "../../Json.ts"

/** @internal */
export type Sought = Wanted | { readonly kind: "resource"; readonly uri: string } | undefined

/** @internal */
export const of = (method: string, params: Schema.JsonObject): Sought => {
  switch (method) {
    case "tools/call":
      return named("tool", params["name"])
    case "prompts/get":
      return named("prompt", params["name"])
    case "resources/read":
    case "resources/subscribe": {
      const { uri } = params
      return typeof uri === "string" ? { kind: "resource", uri } : undefined
    }
    case "completion/complete": {
      const { ref } = params
      return isObject(ref) && ref["type"] === "ref/prompt" ? named("prompt", ref["name"]) : undefined
    }
    default:
      return undefined
  }
}

const named = (kind: Wanted["kind"], name: Schema.Json | undefined): Sought =>
  typeof name === "string" ? { kind, name } : undefined

/** Whether a method needs to know nothing of what is offered. @internal */
export const isNothing = (method: string): boolean => plain.has(method)

const plain: ReadonlySet<string> = new Set(["resources/unsubscribe", "server/discover", "logging/setLevel", "ping"])
