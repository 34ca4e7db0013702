/**
 * What a stream of changes wants to hear, in the words of either era.
 */
import type * as Message from "@parley/protocol/Message"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import { ListChanged, Notified, Updated } from "../../../client/McpEvent.ts"
import type { ServerCapabilities } from "../../../payload/Capabilities.ts"
import type { SubscriptionFilter } from "../../../payload/Requests.ts"
import * as Uri from "../../../shared/Uri.ts"
import { isArray, own } from "../../Json.ts"

/** @internal */
export interface Interest<A> {
  /** The capability that a server declares where it has these changes. */
  readonly capability: string
  /** The filter for a server that declares these capabilities; `undefined` where it has none of these changes. */
  readonly filter: (capabilities: ServerCapabilities | undefined) => SubscriptionFilter | Schema.JsonObject | undefined
  /** Whether the filter that a server agreed to includes these changes. */
  readonly isGiven: (agreed: Schema.JsonObject) => boolean
  /** The notifications that may carry it. */
  readonly methods: ReadonlyArray<string>
  /** The change that a notification of a whole session is, if it is one of these. */
  readonly read: (method: string, params: Message.Params | undefined) => A | undefined
  /** As `read`, for a notification that names this stream. */
  readonly readOwn: (method: string, params: Message.Params | undefined) => A | undefined
  readonly keyOf: (change: A) => string
}

const lists = ["tools", "prompts", "resources"] as const

const methodOf = (list: typeof lists[number]) => `notifications/${list}/list_changed`

const readChange = (method: string): ListChanged | undefined => {
  const list = lists.find((list) => methodOf(list) === method)
  return list === undefined ? undefined : new ListChanged({ list })
}

const changed = { tools: "toolsListChanged", prompts: "promptsListChanged", resources: "resourcesListChanged" } as const

/** The changes of all lists. @internal */
export const changes: Interest<ListChanged> = {
  capability: "listChanged",
  filter: (capabilities) => {
    const known = lists.filter((list) => capabilities === undefined || capabilities[list]?.listChanged === true)
    return known.length === 0 ? undefined : Object.fromEntries(known.map((list) => [changed[list], true]))
  },
  isGiven: (agreed) => lists.some((list) => agreed[changed[list]] === true),
  methods: lists.map(methodOf),
  read: readChange,
  readOwn: readChange,
  keyOf: ({ list }) => list
}

/** The changes of a resource, and of what is below it. @internal */
export const resource = (uri: string): Interest<Updated> => {
  const readOwn = (params: Message.Params | undefined) =>
    Predicate.hasProperty(params, "uri") && typeof params.uri === "string"
      ? new Updated({ uri: params.uri })
      : undefined
  return {
    capability: "resources.subscribe",
    filter: (capabilities) =>
      capabilities === undefined || capabilities.resources?.subscribe === true
        ? { resourceSubscriptions: [uri] }
        : undefined,
    isGiven: ({ resourceSubscriptions: agreed }) =>
      Array.isArray(agreed) && agreed.some((one) => Uri.isSame(String(one), uri)),
    methods: ["notifications/resources/updated"],
    read: (_, params) => {
      const updated = readOwn(params)
      return updated !== undefined && Uri.isWithin(updated.uri, uri) ? updated : undefined
    },
    readOwn: (_, params) => readOwn(params),
    keyOf: (updated) => `uri ${Uri.normalised(updated.uri)}`
  }
}

/** Notifications of an extension: each is one of its own, and none stands for another. @internal */
export const extension = (filter: Schema.JsonObject, methods: ReadonlyArray<string>): Interest<Notified> => {
  let count = 0
  const read = (method: string, params: Message.Params | undefined) => new Notified({ method, params })
  return {
    capability: "extensions",
    filter: () => filter,
    isGiven: (agreed) => Object.entries(filter).some(([topic, wanted]) => isSome(wanted, own(agreed, topic))),
    methods,
    read,
    readOwn: read,
    keyOf: () => `notification ${count++}`
  }
}

/** Whether a server agreed to some of what was wanted of a topic. It may agree to none of the values, or to none yet. */
const isSome = (wanted: Schema.Json, agreed: Schema.Json | undefined): boolean =>
  isArray(wanted) && wanted.length > 0 && isArray(agreed)
    ? wanted.some((value) => agreed.includes(value))
    : agreed !== undefined
