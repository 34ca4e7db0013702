/**
 * A declaration of an extension, read once: its members by their names on the wire, with their codecs.
 */
import type * as Method from "@parley/contract/Method"
import type * as Notification from "@parley/contract/Notification"
import { MethodCodec, type Params } from "@parley/contract/shared"
import { Excerpt } from "@parley/protocol/shared"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Client } from "../../McpContext.ts"
import { SubscriptionFilter } from "../../payload/Requests.ts"
import type { Topic } from "../../server/ServerExtension.ts"
import type { Era } from "../../wire/Revision.ts"
import * as WireIssue from "../../wire/WireIssue.ts"
import { own } from "../Json.ts"
import type { Declaration } from "./Declaration.ts"

/** @internal */
export interface DeclaredMethod {
  /** The name on the wire. */
  readonly method: string
  readonly codec: MethodCodec.MethodCodec<unknown, unknown, unknown>
  readonly named: string | undefined
  readonly timeout: Method.Method<undefined, undefined, {}>["deadline"]
}

/** @internal */
export interface DeclaredNotification {
  /** The name on the wire. */
  readonly method: string
  readonly codec: MethodCodec.NotificationCodec<unknown>
  /** The param that its topic is asked for by. */
  readonly key: string | undefined
}

/** Settings between their type and JSON. @internal */
export interface SettingsCodec {
  readonly encode: (settings: unknown) => Schema.JsonObject
  readonly decode: (json: unknown) => Result.Result<unknown, WireIssue.WireIssue>
}

/** @internal */
export interface Declared {
  readonly identifier: string
  readonly era: Era | undefined
  /** `undefined` where the side does not declare the extension. */
  readonly server: SettingsCodec | undefined
  readonly client: SettingsCodec | undefined
  /** By member. */
  readonly methods: ReadonlyMap<string, DeclaredMethod>
  /** The notifications that clients hear, by member. */
  readonly notifications: ReadonlyMap<string, DeclaredNotification>
  /** The notifications that servers hear, by member. */
  readonly heard: ReadonlyMap<string, DeclaredNotification>
  readonly topics: ReadonlyMap<string, Topic>
  /** By method, and by `resultType`. */
  readonly results: { readonly [method: string]: { readonly [resultType: string]: Params.Codec } | undefined }
  readonly declaredBy: (client: Pick<Client, "capabilities">) => Option.Option<unknown>
}

/** @internal */
export const make = (name: string, declaration: Declaration): Declared => {
  const identifier = identifierOf(name)
  const { client, era, results = {}, server } = declaration
  const topics = Object.entries(client?.topics ?? {})
  const methods = membersOf(identifier, server?.methods ?? {}, (member, wire, { method }): DeclaredMethod => ({
    method: wire,
    codec: MethodCodec.make(wire, method),
    named: own(server?.named ?? {}, member),
    timeout: method.deadline
  }))
  const noticeOf = (member: string, wire: string, { notification }: Wide): DeclaredNotification => ({
    method: wire,
    codec: MethodCodec.ofNotification(wire, notification),
    key: topics.find(([, topic]) => topic.notification === member)?.[1].key
  })
  const notifications = membersOf(identifier, client?.notifications ?? {}, noticeOf)
  const codecs = { server: settingsOf(server), client: settingsOf(client) }
  return {
    identifier,
    era,
    ...codecs,
    methods,
    notifications,
    heard: membersOf(identifier, server?.notifications ?? {}, noticeOf),
    topics: new Map(topics.map(([topic, { key, notification }]) => {
      if (Object.hasOwn(SubscriptionFilter.fields, topic)) {
        throw new TypeError(`${identifier} has the topic ${topic}, which the core has`)
      }
      const method = notifications.get(notification)?.method
      if (method !== undefined) return [topic, { method, key }] as const
      throw new TypeError(`the topic ${topic} of ${identifier} names a notification ${notification} that it has not`)
    })),
    results,
    declaredBy: ({ capabilities }) => {
      const declared = own(capabilities.extensions ?? {}, identifier)
      if (declared === undefined || codecs.client === undefined) return Option.none()
      return Option.getSuccess(codecs.client.decode(declared))
    }
  }
}

/** A member with the types that its constructor gave it. */
interface Wide {
  readonly method: Method.Method<Params.Params, Params.Codec | undefined, Method.Errors, Params.Codec | undefined>
  readonly notification: Notification.Notification<Params.Params>
}

const membersOf = <A>(
  identifier: string,
  members: { readonly [member: string]: object },
  make: (member: string, wire: string, wide: Wide) => A
): ReadonlyMap<string, A> =>
  new Map(
    Object.entries(members).map(([member, declared]) => {
      // Declarations leave out what the constructors of the members gave them.
      const wide = { method: declared, notification: declared } as Wide
      try {
        return [member, make(member, wide.method.method ?? member, wide)]
      } catch (error) {
        throw error instanceof TypeError
          ? new TypeError(`extension ${identifier}, member ${member}: ${error.message}`, { cause: error })
          : error
      }
    })
  )

const settingsOf = (side: { readonly settings?: Params.Fields } | undefined): SettingsCodec | undefined => {
  if (side === undefined) return undefined
  const codec = Schema.toCodecJson(Schema.Struct(side.settings ?? {}))
  const encode = Schema.encodeUnknownSync(codec)
  const decode = WireIssue.reader(codec)
  // The JSON of a struct is an object.
  return { encode: (settings) => encode(settings) as Schema.JsonObject, decode }
}

/** Specification, "_meta": a prefix of labels, here mandatory, and a name. */
const identifierOf = (identifier: string): string => {
  const [prefix = "", name = "", ...more] = identifier.split("/")
  if (more.length === 0 && prefix.split(".").every(isLabel) && isName(name)) return identifier
  throw new TypeError(
    `an extension is called like com.example/name, with letters, digits and hyphens, unlike ${
      Excerpt.quoted(identifier)
    }`
  )
}

const isLabel = (label: string): boolean => /^[A-Za-z][A-Za-z0-9-]*$/.test(label) && !label.endsWith("-")

const isName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) && /[A-Za-z0-9]$/.test(name)
