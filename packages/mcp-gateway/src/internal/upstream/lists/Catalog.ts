/**
 * The features of one connection, read when they are first wanted and again when they have changed.
 */
import type { McpCallError } from "@parley/mcp/client/McpClientError"
import type { McpClient } from "@parley/mcp/McpClient"
import type { PromptInfo, ResourceInfo, ResourceTemplateInfo, ToolInfo } from "@parley/mcp/payload/Listing"
import type { Feature } from "@parley/mcp/server/Feature"
import { type Listed, lists } from "@parley/mcp/server/ServerChanges"
import { SharedRun } from "@parley/oauth/shared"
import { ErrorCode, Excerpt } from "@parley/protocol/shared"
import { Backoff } from "@parley/transport/shared"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { asOwner, type Use } from "../Lines.ts"

/** The lists of a server. @internal */
export interface Lists {
  readonly tools: ReadonlyArray<ToolInfo>
  readonly resources: ReadonlyArray<ResourceInfo>
  readonly templates: ReadonlyArray<ResourceTemplateInfo>
  readonly prompts: ReadonlyArray<PromptInfo>
}

/** Milliseconds before a server that tells of no changes is asked for them again. */
const pause = 30_000

/** @internal */
export class Catalog {
  readonly #server: string
  readonly #client: McpClient
  readonly #featuresOf: (lists: Lists) => ReadonlyArray<Feature>
  readonly #onChange: (list: Listed) => void
  readonly #onTold: (list: Listed) => void
  #features: ReadonlyArray<Feature> | undefined = undefined
  #last: ReadonlyArray<Feature> | undefined = undefined
  /** How often something has changed. */
  #changes = 0
  /** The features, when they have been read. */
  readonly read: Effect.Effect<ReadonlyArray<Feature>, McpCallError>

  constructor(options: {
    readonly server: string
    readonly client: McpClient
    readonly featuresOf: (lists: Lists) => ReadonlyArray<Feature>
    /** Takes a list that may have changed while nobody told of it. */
    readonly onChange: (list: Listed) => void
    /** Takes a list of which the server tells. */
    readonly onTold: (list: Listed) => void
    readonly scope: Scope.Scope
    /** The use of its connection. */
    readonly use: Use
  }) {
    this.#server = options.server
    this.#client = options.client
    this.#featuresOf = options.featuresOf
    this.#onChange = options.onChange
    this.#onTold = options.onTold
    this.read = SharedRun.make(options.scope, asOwner(options.use, Effect.suspend(() => this.#readAll())))
  }

  /** The features as they are now, where that is known. */
  get features(): ReadonlyArray<Feature> | undefined {
    return this.#features
  }

  /** The features as they were read last, which may have changed since. */
  get last(): ReadonlyArray<Feature> | undefined {
    return this.#last
  }

  /** Hears of changes, for as long as the server tells of them. */
  readonly follow: Effect.Effect<void> = Effect.suspend((): Effect.Effect<void> =>
    Stream.runForEach(this.#client.changes, (event) =>
      Effect.sync(() => {
        if (event._tag === "ListChanged") this.#changed([event.list], this.#onTold)
        // Lists that were read before may be older.
        else if (event._tag === "Resumed" || this.#changes > 0 || this.#features !== undefined) {
          this.#changed(lists, this.#onChange)
        }
      })).pipe(
        Effect.catch((error) =>
          error._tag === "UnsupportedCapability"
            ? Effect.void
            : Effect.logDebug(
              `the server ${Excerpt.line(this.#server)} tells of no changes for now`,
              Excerpt.cause(Cause.fail(error))
            )
              .pipe(
                Effect.andThen(Backoff.sleep(pause)),
                Effect.andThen(this.follow)
              )
        )
      )
  )

  #changed(changed: ReadonlyArray<Listed>, tell: (list: Listed) => void) {
    this.#changes++
    this.#features = undefined
    for (const list of changed) tell(list)
  }

  #readAll(): Effect.Effect<ReadonlyArray<Feature>, McpCallError> {
    const since = this.#changes
    const client = this.#client
    const listed = Effect.all({
      tools: orNone(client.listTools()),
      resources: orNone(client.listResources()),
      templates: orNone(client.listResourceTemplates()),
      prompts: orNone(client.listPrompts())
    }, { concurrency: "unbounded" })
    return Effect.map(listed, (lists) => {
      const features = this.#last = this.#featuresOf(lists)
      if (since === this.#changes) this.#features = features
      return features
    })
  }
}

/** A server that does not have a list says so beforehand, or when it is asked. */
const orNone = <A>(
  list: Effect.Effect<ReadonlyArray<A>, McpCallError>
): Effect.Effect<ReadonlyArray<A>, McpCallError> =>
  Effect.catch(
    list,
    (error) =>
      error._tag === "UnsupportedCapability" ||
        (error._tag === "ProtocolError" && error.code === ErrorCode.MethodNotFound)
        ? Effect.succeed([])
        : Effect.fail(error)
  )
