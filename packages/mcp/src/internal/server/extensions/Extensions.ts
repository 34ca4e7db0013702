/**
 * The extensions of a server: who serves which method of which era, what stands around the features, and what clients
 * may listen to.
 */
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { McpContext } from "../../../McpContext.ts"
import type { ServerCapabilities } from "../../../payload/Capabilities.ts"
import type {
  BoundExtension,
  ExtensionHost,
  MethodRules,
  Run,
  ServedExtension,
  ToolCall,
  ToolOption,
  ToolOutcome,
  Topic
} from "../../../server/ToolExtension.ts"
import * as Revision from "../../../wire/Revision.ts"
import * as RevisionCodec from "../../../wire/RevisionCodec.ts"
import { taskMethods } from "../../../wire/RevisionFeatures.ts"

/** An extension with the services of its handlers. @internal */
export interface Bound {
  readonly feature: Omit<ServedExtension, "bind">
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
  readonly all: ReadonlyArray<Bound>
  readonly methods: ReadonlyMap<string, ExtensionMethod>
  readonly notices: ReadonlyMap<string, ExtensionNotice>
  readonly topics: ReadonlyArray<ExtensionTopic>
  readonly around: ReadonlyMap<string, Around>
}

/** @internal */
export class Extensions {
  readonly #eras: { readonly [era in Revision.Era]: InEra }
  readonly #methods: ReadonlySet<string>
  readonly #all: ReadonlyArray<Bound>
  /** Whether some extension has a say in calls of tools. */
  readonly extendsTools: boolean

  /** Partial: throws where two have one name, and where a method belongs to the core or to two of them. */
  constructor(all: ReadonlyArray<Bound>) {
    const names = new Set<string>()
    for (const { feature: { info: { name } } } of all) {
      if (names.has(name)) throw new TypeError(`there is an extension ${name} already`)
      names.add(name)
    }
    this.#all = all
    this.extendsTools = all.some(({ bound: { callTool } }) => callTool !== undefined)
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

  /** The capabilities of a server with those that it declares for them: their settings, and what they say themselves. */
  capabilities(own: ServerCapabilities, codec: RevisionCodec.RevisionCodec, principal?: string): ServerCapabilities {
    return this.#eras[codec.era].all.reduce((all, { bound, feature: { info: { name }, settings } }) => {
      const more = bound.capabilities?.(codec, principal)
      const declared = { ...more?.extensions, ...(settings === undefined ? undefined : { [name]: settings }) }
      if (Object.keys(declared).length === 0) return { ...all, ...more }
      return { ...all, ...more, extensions: { ...all.extensions, ...declared } }
    }, own)
  }

  /** How a call of a tool is served; `undefined` where it is by the tool alone. */
  callTool(call: Omit<ToolCall, "option">, options: ReadonlyArray<ToolOption<unknown>> = []): ToolOutcome | undefined {
    for (const { bound, feature } of this.#all) {
      const option = options.find(({ extension }) => extension === feature)?.value
      const outcome = bound.callTool?.({ ...call, option })
      if (outcome !== undefined && outcome._tag !== "Served") return outcome
    }
    return undefined
  }

  /** With the extensions that features have options of, which a server serves because of them. */
  withThoseOf(
    features: ReadonlyArray<{ readonly extensions?: ReadonlyArray<ToolOption<unknown>> | undefined }>,
    bind: (extension: ServedExtension<unknown>) => Bound
  ): Extensions {
    const known = new Set<unknown>(this.#all.map(({ feature }) => feature))
    const named = features.flatMap(({ extensions = [] }) => extensions.map(({ extension }) => extension))
    const added = [...new Set(named)].filter((extension) => !known.has(extension))
    return added.length === 0 ? this : new Extensions([...this.#all, ...added.map(bind)])
  }

  /** Ends what they run. */
  get close(): Effect.Effect<void> {
    return Effect.forEach(this.#all, ({ bound }) => bound.close ?? Effect.void, { discard: true })
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
      // A revision names the methods of tasks, too, and an extension serves them.
      if (!taskMethods.has(method) && codecs.some((codec) => codec.serverServes(method))) {
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
  return {
    all,
    methods,
    notices,
    topics: [...topics.values()],
    around
  }
}

/** An extension with the services of its handlers. @internal */
export const bind = <R>(extension: ServedExtension<R>, context: Context.Context<R>, host: ExtensionHost): Bound => ({
  // What it requires is bound.
  feature: extension as Bound["feature"],
  bound: extension.bind(context, host)
})
