/**
 * The features of one connection, read when they are first wanted and again when they have changed.
 *
 * - A list that the server answers badly, or not in time, is the list that was known before, or empty, and one line tells of
 *   it: the other lists and all calls go on. It is asked for again after a while.
 * - Where the tools have never been read, the read fails: a server must not look as if it had none.
 */
import type { McpCallError } from "@parley/mcp/client/McpClientError"
import type { McpClient } from "@parley/mcp/McpClient"
import type { PromptInfo, ResourceInfo, ResourceTemplateInfo, ToolInfo } from "@parley/mcp/payload/Listing"
import type { Feature } from "@parley/mcp/server/Feature"
import { type Listed, lists } from "@parley/mcp/server/ServerChanges"
import { SharedRun } from "@parley/oauth/shared"
import { Disconnected, type DisconnectReason } from "@parley/peer/Caller"
import { ErrorCode, Excerpt } from "@parley/protocol/shared"
import { Backoff } from "@parley/transport/shared"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
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

/** Milliseconds before a server that tells of no changes is asked for them again, and for a list that it has not given. */
const pause = 30_000

/** Milliseconds that the other lists wait for one that does not come. */
const patience = 4_000

const nothing: Lists = { tools: [], resources: [], templates: [], prompts: [] }

/** The methods of the lists, for people. */
const methods: { readonly [K in keyof Lists]: string } = {
  tools: "tools/list",
  resources: "resources/list",
  templates: "resources/templates/list",
  prompts: "prompts/list"
}

/** @internal */
export class Catalog {
  readonly #server: string
  readonly #client: McpClient
  readonly #featuresOf: (lists: Lists) => ReadonlyArray<Feature>
  readonly #onChange: (list: Listed) => void
  readonly #onTold: (list: Listed) => void
  readonly #onMissing: (method: string, cause: unknown) => Effect.Effect<void>
  readonly #scope: Scope.Scope
  #features: ReadonlyArray<Feature> | undefined = undefined
  #last: ReadonlyArray<Feature> | undefined = undefined
  /** The lists as they were read last, each of them. */
  #lists: Partial<Lists> = {}
  /** The lists that the server has not given. */
  readonly #missing = new Set<keyof Lists>()
  /** Those of which people have been told. */
  readonly #told = new Set<keyof Lists>()
  /** The lists that come late. */
  readonly #late = new Map<keyof Lists, Fiber.Fiber<unknown, McpCallError>>()
  #isWaiting = false
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
    /** Takes the method of a list that the server does not give, the first time. */
    readonly onMissing: (method: string, cause: unknown) => Effect.Effect<void>
    readonly scope: Scope.Scope
    /** The use of its connection. */
    readonly use: Use
  }) {
    this.#server = options.server
    this.#client = options.client
    this.#featuresOf = options.featuresOf
    this.#onChange = options.onChange
    this.#onTold = options.onTold
    this.#onMissing = options.onMissing
    this.#scope = options.scope
    const shared = SharedRun.make(
      options.scope,
      asOwner(
        options.use,
        Effect.suspend(() => {
          const began = this.#changes
          return Effect.map(this.#readAll(), (features) => ({ began, features }))
        })
      )
    )
    // The end of the connection interrupts the run, and not who waits for it.
    const run = Effect.catchCause(
      shared,
      (cause) => Cause.hasInterruptsOnly(cause) ? lost(options.client) : Effect.failCause(cause)
    )
    // A read that began before a change may have missed it.
    this.read = Effect.suspend(() => {
      const asked = this.#changes
      return Effect.map(
        Effect.flatMap(run, (read) => read.began >= asked ? Effect.succeed(read) : run),
        ({ features }) => features
      )
    })
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
        // A server may end what tells of its changes as often as it wants.
        else if (event._tag === "Resumed") this.#changed(lists, this.#onTold)
        // Lists that were read before may be older.
        else if (this.#changes > 0 || this.#features !== undefined) this.#changed(lists, this.#onChange)
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
      tools: this.#list("tools", client.listTools()),
      resources: this.#list("resources", client.listResources()),
      templates: this.#list("templates", client.listResourceTemplates()),
      prompts: this.#list("prompts", client.listPrompts())
    }, { concurrency: "unbounded" })
    return Effect.map(listed, (lists) => {
      const features = this.#last = this.#featuresOf(lists)
      if (since === this.#changes) this.#features = features
      return features
    })
  }

  #list<K extends keyof Lists>(
    name: K,
    list: Effect.Effect<Lists[K], McpCallError>
  ): Effect.Effect<Lists[K], McpCallError> {
    return Effect.suspend((): Effect.Effect<Lists[K], McpCallError> => {
      if (this.#late.has(name)) return Effect.succeed(this.#lists[name] ?? nothing[name])
      const read = Effect.tap(orNone<Lists[K]>(list, nothing[name]), (all) =>
        Effect.sync(() => {
          this.#lists = { ...this.#lists, [name]: all }
          this.#missing.delete(name)
        }))
      const known = this.#lists[name]
      // Without tools, a server is of no use, and takes as long as it needs for them.
      if (known === undefined && name === "tools") return read
      return Effect.catchIf(this.#inTime(name, read), isOfList, (error) => this.#without(name, error))
    })
  }

  /** Waits for a list as long as others may wait for it. It goes on then, and is told of when it has come. */
  #inTime<K extends keyof Lists>(
    name: K,
    read: Effect.Effect<Lists[K], McpCallError>
  ): Effect.Effect<Lists[K], McpCallError> {
    return Effect.flatMap(
      Effect.forkIn(read, this.#scope, { startImmediately: true }),
      (fiber) =>
        Effect.flatMap(Effect.timeoutOption(Fiber.join(fiber), patience), (list) => {
          if (Option.isSome(list)) {
            this.#told.delete(name)
            return Effect.succeed(list.value)
          }
          this.#late.set(name, fiber)
          fiber.addObserver((exit) => {
            this.#late.delete(name)
            if (Exit.isSuccess(exit)) this.#arrived(name)
          })
          return this.#without(name, undefined)
        })
    )
  }

  /** Has a list that came late, without asking for the others again. */
  #arrived(name: keyof Lists) {
    const before = this.#last
    if (before === undefined) return
    const features = this.#last = this.#featuresOf({ ...nothing, ...this.#lists })
    if (this.#features !== undefined) this.#features = features
    if (features !== before) this.#onChange(name === "templates" ? "resources" : name)
  }

  /** What is known of a list that the server does not give. */
  #without<K extends keyof Lists>(name: K, cause: McpCallError | undefined): Effect.Effect<Lists[K]> {
    const isNew = !this.#told.has(name)
    this.#told.add(name)
    this.#missing.add(name)
    return (isNew ? this.#onMissing(methods[name], cause) : Effect.void).pipe(
      Effect.andThen(this.#again),
      Effect.as(this.#lists[name] ?? nothing[name])
    )
  }

  /** Lets all be read again, after a while. */
  readonly #again: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#isWaiting) return Effect.void
    this.#isWaiting = true
    const later = Effect.andThen(
      Backoff.sleep(pause),
      Effect.sync(() => {
        this.#isWaiting = false
        if (this.#missing.size > 0) this.#features = undefined
      })
    )
    return Effect.asVoid(Effect.forkIn(later, this.#scope))
  })
}

/** Whether a failure is about one list, and not about the connection. */
const isOfList = ({ _tag }: McpCallError): boolean =>
  _tag === "ProtocolError" || _tag === "InvalidResult" || _tag === "InvalidResponse" || _tag === "RequestTimeout"

/** A server that does not have a list says so beforehand, or when it is asked. */
const orNone = <A>(list: Effect.Effect<A, McpCallError>, none: A): Effect.Effect<A, McpCallError> =>
  Effect.catch(
    list,
    (error) =>
      error._tag === "UnsupportedCapability" ||
        (error._tag === "ProtocolError" && error.code === ErrorCode.MethodNotFound)
        ? Effect.succeed(none)
        : Effect.fail(error)
  )

const lost = ({ disconnected }: McpClient): Effect.Effect<never, Disconnected> =>
  Effect.flatMap(
    Effect.raceFirst(disconnected, Effect.succeed<DisconnectReason>({ _tag: "Closed" })),
    (reason) => Effect.fail(new Disconnected({ reason, sent: true }))
  )
