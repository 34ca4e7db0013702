/**
 * What a server offers at a moment: its features by name, bound to their services; and the state of a running server,
 * which holds the offer. A change makes a new offer, and a reader uses one offer from beginning to end.
 */
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import type { McpContext } from "../../../McpContext.ts"
import type { Get, McpPrompt } from "../../../McpPrompt.ts"
import type { McpResource, McpResourceTemplate, Read, ReadTemplate } from "../../../McpResource.ts"
import type { McpTool, Serve } from "../../../McpTool.ts"
import type { Implementation, ServerCapabilities } from "../../../payload/Capabilities.ts"
import type { CacheHint } from "../../../payload/Listing.ts"
import type { SealedState } from "../../../server/SealedState.ts"
import type { ServerChanges } from "../../../server/ServerChanges.ts"
import type * as ServerDefinition from "../../../server/ServerDefinition.ts"
import type { AnyFeature } from "../../../server/ServerDefinition.ts"
import type { Era, Revision } from "../../../wire/Revision.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import type { Relays } from "../changes/Relays.ts"
import type { Listed, Watchers } from "../changes/Watcher.ts"
import type { Extensions } from "../extensions/Extensions.ts"
import { type Finish, List } from "../lists/List.ts"
import type { TaskTable } from "../tasks/TaskTable.ts"
import type { Complete } from "./handler.ts"

type Completes = { readonly [name: string]: Complete } | undefined

/** @internal */
export interface BoundTool {
  readonly feature: Pick<McpTool, "_tag" | "info" | "scopes" | "task">
  readonly serve: Serve
}

/** @internal */
export interface BoundResource {
  readonly feature: Pick<McpResource, "_tag" | "info" | "scopes" | "cache">
  readonly read: Read
}

/** @internal */
export interface BoundTemplate {
  readonly feature: Pick<McpResourceTemplate, "_tag" | "info" | "scopes" | "cache" | "match">
  readonly read: ReadTemplate
  readonly complete: Completes
}

/** @internal */
export interface BoundPrompt {
  readonly feature: Pick<McpPrompt, "_tag" | "info" | "scopes">
  readonly get: Get
  readonly complete: Completes
}

/** What can be read at a URI. @internal */
export interface Readable {
  readonly feature: BoundResource["feature"] | BoundTemplate["feature"]
  readonly read: (call: McpContext) => ReturnType<Read>
}

/** @internal */
export type Bound = BoundTool | BoundResource | BoundTemplate | BoundPrompt

/** A feature with the services of its handlers. @internal */
export const bind = <F extends ServerDefinition.Feature<unknown>>(
  given: F,
  context: Context.Context<ServerDefinition.Requirements<F>>
): Bound => {
  // The requirements of a feature are the type parameter of its kind.
  const feature = given as ServerDefinition.Feature<ServerDefinition.Requirements<F>>
  switch (feature._tag) {
    case "McpTool":
      return { feature, serve: feature.bind(context) }
    case "McpResource":
      return { feature, read: feature.bind(context) }
    case "McpResourceTemplate":
      return { feature, read: feature.bind(context), complete: feature.complete?.(context) }
    case "McpPrompt":
      return { feature, get: feature.bind(context), complete: feature.complete?.(context) }
  }
}

/** Which list a feature is in. @internal */
export const listOf = ({ feature }: Bound): Listed =>
  feature._tag === "McpTool" ? "tools" : feature._tag === "McpPrompt" ? "prompts" : "resources"

/** What is offered at a moment. @internal */
export class Offer {
  readonly all: ReadonlyArray<Bound>
  readonly tools: ReadonlyMap<string, BoundTool>
  readonly resources: ReadonlyMap<string, BoundResource>
  readonly templates: ReadonlyMap<string, BoundTemplate>
  readonly prompts: ReadonlyMap<string, BoundPrompt>
  readonly lists: {
    readonly tools: List<BoundTool>
    readonly resources: List<BoundResource>
    readonly resourceTemplates: List<BoundTemplate>
    readonly prompts: List<BoundPrompt>
  }
  /** What has been offered up to now: a capability that was declared stays. */
  readonly capabilities: ServerCapabilities

  /** Partial: throws where two features of one kind have one name. */
  constructor(all: ReadonlyArray<Bound>, pageSize: number, before: ServerCapabilities = { logging: {} }) {
    const tools = new Map<string, BoundTool>()
    const resources = new Map<string, BoundResource>()
    const templates = new Map<string, BoundTemplate>()
    const prompts = new Map<string, BoundPrompt>()
    for (const bound of all) {
      if ("serve" in bound) put(tools, bound.feature.info.name, bound)
      else if ("get" in bound) put(prompts, bound.feature.info.name, bound)
      else if ("complete" in bound) put(templates, bound.feature.info.uriTemplate, bound)
      else put(resources, bound.feature.info.uri, bound)
    }
    this.all = all
    this.tools = tools
    this.resources = resources
    this.templates = templates
    this.prompts = prompts
    this.lists = {
      tools: new List("tools", tools, (codec, { feature }) => codec.encode.tool(feature.info), pageSize),
      resources: new List(
        "resources",
        resources,
        (codec, { feature }) => codec.encode.resource(feature.info),
        pageSize
      ),
      resourceTemplates: new List(
        "resourceTemplates",
        templates,
        (codec, { feature }) => codec.encode.resourceTemplate(feature.info),
        pageSize
      ),
      prompts: new List("prompts", prompts, (codec, { feature }) => codec.encode.prompt(feature.info), pageSize)
    }
    const completes = [...templates.values(), ...prompts.values()].some(({ complete }) => complete !== undefined)
    this.capabilities = {
      ...before,
      ...(tools.size === 0 ? undefined : { tools: { listChanged: true } }),
      ...(resources.size + templates.size === 0 ? undefined : { resources: { listChanged: true, subscribe: true } }),
      ...(prompts.size === 0 ? undefined : { prompts: { listChanged: true } }),
      ...(completes ? { completions: {} } : undefined),
      ...([...tools.values()].some(({ feature }) => feature.task !== undefined) ? taskCapabilities : undefined)
    }
  }

  /** What is at a URI: a resource, then the templates that it fits, in their order. */
  *at(uri: string): Generator<Readable> {
    const one = this.resources.get(uri)
    if (one !== undefined) yield { feature: one.feature, read: (call) => one.read(call, uri) }
    for (const { feature, read } of this.templates.values()) {
      const variables = feature.match(uri)
      if (variables !== undefined) yield { feature, read: (call) => read(variables, call, uri) }
    }
  }
}

/** In the words of the core generation. */
const taskCapabilities: ServerCapabilities = { tasks: { cancel: {}, requests: { tools: { call: {} } } } }

const put = <A extends Bound>(map: Map<string, A>, name: string, bound: A) => {
  if (map.has(name)) throw new TypeError(`there is a ${bound.feature._tag} ${name} already`)
  map.set(name, bound)
}

/** Who the server is, in the words of a revision: written once for each. @internal */
export const onceFor = <A>(write: (codec: RevisionCodec) => A): (codec: RevisionCodec) => A => {
  const written = new Map<RevisionCodec, A>()
  return (codec) => {
    const known = written.get(codec)
    if (known !== undefined) return known
    const value = write(codec)
    written.set(codec, value)
    return value
  }
}

/** @internal */
export interface ServerState {
  readonly info: Implementation
  readonly instructions: string | undefined
  readonly revisions: ReadonlyArray<Revision>
  /** The only era that the revisions are of; `undefined` where they are of both. */
  readonly era: Era | undefined
  offer: Offer
  readonly extensions: Extensions
  readonly watchers: Watchers
  /** The other nodes that hear of changes. */
  readonly relays: Relays
  readonly changes: ServerChanges
  readonly visible: ((feature: AnyFeature, call: McpContext) => boolean | Effect.Effect<boolean>) | undefined
  /** Whether lists have only what the caller has the scopes for. */
  readonly listsPermitted: boolean
  readonly lists: Finish
  /** How long what is read may be kept, where a resource does not say. */
  readonly reads: CacheHint
  readonly sealed: SealedState
  /** Where the tasks of tools run, if there are any. */
  tasks: TaskTable | undefined
  readonly subscriptions: number
  readonly askTimeout: Duration.Input | undefined
  /** Whether the durations of calls are recorded. */
  readonly isTimed: boolean
  readonly serverInfo: (codec: RevisionCodec) => Schema.JsonObject
  readonly context: Context.Context<never>
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
}
