/**
 * The extensions of a server: who serves which method of which era, what stands around the features, and what clients
 * may listen to.
 */
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { McpContext } from "../../../McpContext.ts"
import type {
  BoundExtension,
  ExtensionRequirements,
  MethodRules,
  Run,
  ServerExtension,
  Topic
} from "../../../server/ServerExtension.ts"
import * as Revision from "../../../wire/Revision.ts"
import * as RevisionCodec from "../../../wire/RevisionCodec.ts"

/** An extension with the services of its handlers. @internal */
export interface Bound {
  readonly feature: Omit<ServerExtension, "bind" | "features">
  readonly bound: BoundExtension
}

/** A method of an extension. @internal */
export interface ExtensionMethod extends Bound {
  readonly rules: MethodRules
  readonly serve: NonNullable<ReturnType<BoundExtension["methods"]["get"]>>
}

/** A notification that an extension hears. @internal */
export interface ExtensionNotice extends Bound {
  readonly hear: NonNullable<ReturnType<BoundExtension["notifications"]["get"]>>
}

/** A topic of an extension. @internal */
export interface ExtensionTopic extends Bound {
  readonly name: string
  readonly topic: Topic
}

type Around = (call: McpContext, run: Run) => Effect.Effect<Schema.JsonObject, ErrorResponse>

interface InEra {
  readonly capabilities: { readonly [identifier: string]: Schema.JsonObject } | undefined
  readonly methods: ReadonlyMap<string, ExtensionMethod>
  readonly notices: ReadonlyMap<string, ExtensionNotice>
  readonly topics: ReadonlyArray<ExtensionTopic>
  readonly around: ReadonlyMap<string, Around>
}

/** @internal */
export class Extensions {
  readonly #eras: { readonly [era in Revision.Era]: InEra }
  readonly #methods: ReadonlySet<string>

  /** Partial: throws where two have one name, and where a method belongs to the core or to two of them. */
  constructor(all: ReadonlyArray<Bound>) {
    const names = new Set<string>()
    for (const { feature: { info: { name } } } of all) {
      if (names.has(name)) throw new TypeError(`there is an extension ${name} already`)
      names.add(name)
    }
    this.#eras = { legacy: inEra("legacy", all), modern: inEra("modern", all) }
    this.#methods = new Set(
      all.flatMap(({ bound, feature }) => [...feature.methods.keys(), ...bound.notifications.keys()])
    )
  }

  /** Whether some client may call a method, or send a notification of this name. */
  has(method: string): boolean {
    return this.#methods.has(method)
  }

  at(era: Revision.Era, method: string): ExtensionMethod | undefined {
    return this.#eras[era].methods.get(method)
  }

  /** The handler that hears a notification. */
  hearing(era: Revision.Era, method: string): ExtensionNotice | undefined {
    return this.#eras[era].notices.get(method)
  }

  around(era: Revision.Era, method: string): Around | undefined {
    return this.#eras[era].around.get(method)
  }

  topics(era: Revision.Era): ReadonlyArray<ExtensionTopic> {
    return this.#eras[era].topics
  }

  /** The settings that the server declares for them. */
  capabilities(era: Revision.Era): { readonly extensions?: InEra["capabilities"] & {} } | undefined {
    const { capabilities } = this.#eras[era]
    return capabilities && { extensions: capabilities }
  }
}

const inEra = (era: Revision.Era, everywhere: ReadonlyArray<Bound>): InEra => {
  const all = everywhere.filter(({ feature }) => feature.era === undefined || feature.era === era)
  const codecs = Revision.ofEra(era).map(RevisionCodec.of)
  const methods = new Map<string, ExtensionMethod>()
  const notices = new Map<string, ExtensionNotice>()
  const topics = new Map<string, ExtensionTopic>()
  const around = new Map<string, Around>()
  for (const one of all) {
    const { bound, feature } = one
    const { name } = feature.info
    for (const [method, rules] of feature.methods) {
      const serve = bound.methods.get(method)
      if (serve === undefined) throw new TypeError(`the extension ${name} does not serve its method ${method}`)
      if (methods.has(method)) throw new TypeError(`two extensions have the method ${method}, one of them ${name}`)
      if (codecs.some((codec) => codec.serverServes(method))) {
        throw new TypeError(`the extension ${name} has the method ${method}, which the core has`)
      }
      methods.set(method, { ...one, rules, serve })
    }
    for (const [method, hear] of bound.notifications) {
      if (notices.has(method)) {
        throw new TypeError(`two extensions hear the notification ${method}, one of them ${name}`)
      }
      if (codecs.some((codec) => codec.serverHears(method))) {
        throw new TypeError(`the extension ${name} hears the notification ${method}, which the core has`)
      }
      notices.set(method, { ...one, hear })
    }
    for (const [topic, definition] of feature.topics) {
      if (topics.has(topic)) throw new TypeError(`two extensions have the topic ${topic}, one of them ${name}`)
      topics.set(topic, { ...one, name: topic, topic: definition })
    }
    // The first stands outside.
    for (const [method, own] of bound.around) {
      const outer = around.get(method)
      around.set(method, outer === undefined ? own : (call, run) => outer(call, (as) => own(as ?? call, run)))
    }
  }
  const declared = all.flatMap(({ feature: { info, settings } }) =>
    settings === undefined ? [] : [[info.name, settings]]
  )
  return {
    capabilities: declared.length === 0 ? undefined : Object.fromEntries(declared),
    methods,
    notices,
    topics: [...topics.values()],
    around
  }
}

/** An extension with the services of its handlers. @internal */
export const bind = <X extends ServerExtension<unknown>>(
  extension: X,
  context: Context.Context<ExtensionRequirements<X>>
): Bound => {
  // The requirements of an extension are its type parameter.
  const feature = extension as ServerExtension<unknown> as ServerExtension<ExtensionRequirements<X>>
  return { feature, bound: feature.bind(context) }
}
