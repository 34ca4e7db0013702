/**
 * A server under development: one process after the other, behind a bridge whose clients stay.
 *
 * ```
 *   starting ──handshake──→ running ──a file changes, or the process ends──→ starting
 *      └──────it fails────→ failed ───a file changes───────────────────────────┘
 * ```
 *
 * - A call that runs when its process is replaced ends at once with an error, and is never made again.
 * - A call that comes between two processes waits for the next one.
 * - Lists are those of the last process until the next one has its own; clients hear of those that differ.
 * - Who listens to a resource goes on listening to it in the next process.
 */
import * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import type { McpContext } from "@parley/mcp/McpContext"
import type { ClientCapabilities, Implementation } from "@parley/mcp/payload/Capabilities"
import type { Feature } from "@parley/mcp/server/Feature"
import type { FeatureSource } from "@parley/mcp/server/FeatureSource"
import { type Change, Hearers } from "@parley/mcp/server/ServerChanges"
import * as McpError from "@parley/mcp/wire/McpError"
import { ErrorResponse } from "@parley/peer/ErrorResponse"
import { Backoff } from "@parley/transport/shared"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Wire } from "../../../wire/Wire.ts"
import { LastLines } from "../../gateway/LastLines.ts"
import { StderrLines } from "../../gateway/StderrLines.ts"
import type { Behind } from "../Bridge.ts"
import * as lasting from "../lasting.ts"
import { of as nameOf } from "../name.ts"
import type { Narrator } from "../Narrator.ts"
import * as reasons from "../reasons.ts"

export interface Options {
  readonly wire: Wire
  readonly narrator: Narrator
  /** Waits for the next change of a file, and gives its name. */
  readonly changed: Effect.Effect<string>
}

type Features = ReadonlyArray<Feature>

/** One process, once it is ready. */
interface Generation {
  readonly upstream: McpUpstream.McpBridge
  /** Done when another one takes its place, with the reason. */
  readonly left: Deferred.Deferred<string>
}

/** Milliseconds that a process must have run for its end to be followed by another one at once, and the longest wait. */
const steady = 5_000
const longestWait = 30_000

/** A process that ends says so, and one that stands at a breakpoint says nothing for as long as somebody looks at it. */
const unhurried = Duration.days(1)

/** Starts the server when a client has said what it can be asked, and again after each change, until the Scope closes. */
export const make = (options: Options): Effect.Effect<Behind, never, Scope.Scope> =>
  Effect.gen(function*() {
    const generations = new Generations(options, yield* Effect.scope)
    yield* options.narrator.say("waiting for a client: the server is started for the first one")
    yield* Effect.forkScoped(generations.run, { startImmediately: true })
    return generations
  })

class Generations implements Behind, FeatureSource {
  readonly name: string
  readonly source: FeatureSource = this
  readonly #options: Options
  readonly #scope: Scope.Scope
  readonly #hearers = new Hearers()
  readonly #bound = new WeakMap<Features, Features>()
  readonly #met = Deferred.makeUnsafe<void>()
  #capabilities: ClientCapabilities = {}
  #now: Generation | undefined = undefined
  /** Done when a process runs, or has failed to. */
  #outcome = Deferred.makeUnsafe<void>()
  /** Done with the next process that runs. */
  #next = Deferred.makeUnsafe<Generation>()
  /** Why the last process could not be started. */
  #failure: string | undefined = undefined
  #identity: Implementation | undefined = undefined
  #last: Features = []
  /** How many calls run. */
  #calls = 0
  /** How many processes in a row have ended early. */
  #early = 0

  constructor(options: Options, scope: Scope.Scope) {
    this.name = nameOf(options.wire)
    this.#options = options
    this.#scope = scope
  }

  readonly identity = () => this.#identity

  readonly instructions = () => this.#now?.upstream.instructions()

  readonly away = () =>
    this.#now === undefined ? this.#failure ?? "it is being started, and has not answered yet" : undefined

  readonly settled = Effect.suspend(() => Deferred.await(this.#outcome))

  readonly met = (capabilities: ClientCapabilities) => {
    this.#capabilities = capabilities
    Deferred.doneUnsafe(this.#met, Effect.void)
  }

  readonly during: Behind["during"] = (call) =>
    Effect.suspend(() => {
      const now = this.#now
      if (now === undefined) {
        return Effect.fail(McpError.upstreamFailed(this.name, "was not sent this call: it is being started"))
      }
      this.#calls++
      return Effect.raceFirst(
        Effect.mapError(call, (error) =>
          error instanceof ErrorResponse && error.code === McpError.OwnerGone
            ? this.#lost("it was restarted")
            : reasons.explained(error, this.name)),
        Effect.flatMap(Deferred.await(now.left), (why) => Effect.fail(this.#lost(why)))
      ).pipe(Effect.ensuring(Effect.sync(() => void this.#calls--)))
    })

  #lost(why: string): ErrorResponse {
    return McpError.upstreamFailed(this.name, `did not answer this call, which may have run in part: ${why}`)
  }

  readonly run: Effect.Effect<never> = Effect.suspend(() =>
    Effect.andThen(
      // What changes until then, the first process has from its start.
      Effect.raceFirst(Deferred.await(this.#met), Effect.forever(this.#options.changed)),
      Effect.forever(Effect.suspend(() => this.#generation))
    )
  )

  /** One process, from its start until there is a reason for the next one. */
  readonly #generation: Effect.Effect<void> = Effect.gen({ self: this }, function*() {
    const { changed, narrator } = this.#options
    const began = yield* Clock.currentTimeMillis
    const scope = Scope.forkUnsafe(this.#scope)
    const left = Deferred.makeUnsafe<string>()
    const crashed = Deferred.makeUnsafe<string>()
    const tail = new LastLines()
    let reached: Extract<McpUpstream.UpstreamState, { readonly _tag: "Reached" }> | undefined
    const lines = new StderrLines((line) => {
      tail.add(line)
      narrator.show(line)
    })
    const upstream = yield* Scope.provide(
      McpUpstream.bridge({
        ...lasting.common,
        name: this.name,
        connectionsPerPrincipal: lasting.mostConnections,
        check: unhurried,
        sole: Effect.succeed(this.#capabilities),
        connect: lasting.clientOf(this.#options.wire, {
          narrator,
          onStderr: (text) => Effect.sync(() => lines.add(text)),
          onEnd: (why) => Deferred.succeed(crashed, why),
          onStray: narrator.stray
        }),
        onState: (state) =>
          Effect.suspend(() => {
            if (state._tag === "Unlisted") return narrator.say(lasting.unlisted(state, this.name))
            if (state._tag === "Reached") reached = state
            return Effect.void
          })
      }),
      scope
    )
    yield* Effect.forkIn(lasting.tellingSilence(narrator, () => reached === undefined), scope)
    const outcome = yield* Effect.raceFirst(
      Effect.map(Effect.exit(upstream.ready), (exit) => ({ _tag: "Tried", exit }) as const),
      Effect.map(changed, (file) => ({ _tag: "Changed", file }) as const)
    )
    if (outcome._tag === "Changed") {
      yield* narrator.say(`${outcome.file} has changed: starting the server again`)
      yield* Scope.close(scope, Exit.void)
      return lines.end()
    }
    if (Exit.isFailure(outcome.exit) || reached === undefined) {
      const why = reasons.of(upstream.cause(), this.name)
      yield* Scope.close(scope, Exit.void)
      lines.end()
      return yield* this.#failed(why, tail)
    }
    const ready = (yield* Clock.currentTimeMillis) - began
    yield* this.#enter({ upstream, left }, reached, scope)
    yield* narrator.say(`the server is ready after ${ready} ms: ${lasting.introduction(reached)}`)
    const why = yield* Effect.raceFirst(
      Effect.map(changed, (file) => ({ _tag: "Changed", text: `${file} has changed` }) as const),
      Effect.map(Deferred.await(crashed), (why) => ({ _tag: "Ended", text: `the server has ended: ${why}` }) as const)
    )
    yield* this.#leave(left, why)
    yield* Scope.close(scope, Exit.void)
    lines.end()
    const lived = (yield* Clock.currentTimeMillis) - began
    this.#early = why._tag === "Changed" || lived >= steady ? 0 : this.#early + 1
    if (this.#early > 0) {
      // A server that ends again and again must not keep the machine busy. A change is a reason to hope.
      yield* Effect.raceFirst(Backoff.sleep(Math.min(500 * 2 ** this.#early, longestWait)), changed)
    }
  })

  /** Says why a process has not started, and waits until there is something new to try. */
  #failed(why: string, tail: LastLines): Effect.Effect<void> {
    const { changed, narrator } = this.#options
    return Effect.gen({ self: this }, function*() {
      this.#failure = tail.after(`it does not start: ${why}`, ": ")
      yield* Deferred.succeed(this.#outcome, undefined)
      yield* narrator.say(`the server does not start (${why}): waiting for a change`)
      const file = yield* changed
      this.#outcome = Deferred.makeUnsafe()
      yield* narrator.say(`${file} has changed: starting the server`)
    })
  }

  /** Tells the calls of a process that it is left. It still runs then. */
  #leave(
    left: Deferred.Deferred<string>,
    { _tag, text }: { readonly _tag: "Changed" | "Ended"; readonly text: string }
  ): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#now = undefined
      this.#outcome = Deferred.makeUnsafe()
      this.#next = Deferred.makeUnsafe()
      this.#failure = undefined
      const calls = this.#calls
      const told = calls === 0 ? "" : calls === 1 ? "; 1 call in flight is told" : `; ${calls} calls in flight are told`
      return Effect.andThen(
        Deferred.succeed(left, _tag === "Changed" ? `the server was restarted because ${text}` : text),
        this.#options.narrator.say(`${text}: starting the server again${told}`)
      )
    })
  }

  /** Takes a process that is ready. */
  #enter(
    generation: Generation,
    { features, serverInfo }: Extract<McpUpstream.UpstreamState, { readonly _tag: "Reached" }>,
    scope: Scope.Scope
  ): Effect.Effect<void> {
    return Effect.suspend(() => {
      const before = this.#last
      this.#last = features
      this.#identity = serverInfo ?? this.#identity
      this.#failure = undefined
      this.#now = generation
      const hearing = Scope.provide(generation.upstream.onChange((change) => this.#hearers.tell(change)), scope)
      return hearing.pipe(
        Effect.andThen(Deferred.succeed(this.#next, generation)),
        Effect.andThen(Deferred.succeed(this.#outcome, undefined)),
        Effect.andThen(Effect.sync(() => {
          for (const list of McpUpstream.differing(before, features)) this.#hearers.tell({ list })
        }))
      )
    })
  }

  featuresFor(call: McpContext): Effect.Effect<Features> {
    const now = this.#now
    if (now === undefined) return Exit.succeed(this.#watched(this.#last))
    return Effect.mapEager(now.upstream.featuresFor(call), (features) => {
      this.#last = features
      return this.#watched(features)
    })
  }

  tool(name: string) {
    return this.#now?.upstream.tool(name)
  }

  /** A server under development may have anything next. */
  capabilities() {
    return McpUpstream.allCapabilities
  }

  onChange(hear: (change: Change) => void) {
    return this.#hearers.add(hear)
  }

  linkedAt(uri: string) {
    return this.#now?.upstream.linkedAt?.(uri)
  }

  isAway() {
    return this.#now === undefined
  }

  /** The same features, whose listeners go on with the process after theirs. */
  #watched(features: Features): Features {
    const known = this.#bound.get(features)
    if (known !== undefined) return known
    const own = this.#now
    const made = features.map((feature) =>
      "watch" in feature && feature.watch !== undefined
        ? { ...feature, watch: (uri: string, call: McpContext) => this.#following(feature, own, uri, call) }
        : feature
    )
    this.#bound.set(features, made)
    return made
  }

  /**
   * Listens in one process after the other. Between two of them, a resource may have changed with the server. A process that has
   * no such resource, or does not tell of its changes, may be followed by one that does.
   */
  #following(feature: Feature, own: Generation | undefined, uri: string, call: McpContext): Stream.Stream<void> {
    let last = own
    let isFirst = own !== undefined && own === this.#now
    const round = Effect.suspend(() => {
      if (isFirst && own !== undefined) {
        isFirst = false
        return Effect.succeed(until(own, this.#told(feature, uri, call)))
      }
      const next = this.#now === undefined || this.#now === last
        ? Deferred.await(this.#next)
        : Effect.succeed(this.#now)
      return Effect.map(next, (next) => {
        last = next
        const told = Effect.map(
          next.upstream.featuresFor(call),
          (features) => this.#told(features.find((other) => isSame(feature, other)), uri, call)
        )
        return until(next, Stream.concat(Stream.succeed(undefined), Stream.unwrap(told)))
      })
    })
    return Stream.forever(Stream.unwrap(round))
  }

  /** The changes of a feature, as far as its process tells of them. */
  #told(feature: Feature | undefined, uri: string, call: McpContext): Stream.Stream<void> {
    if (feature === undefined || !("watch" in feature) || feature.watch === undefined) return Stream.empty
    return Stream.catchCause(Stream.map(feature.watch(uri, call), () => undefined), (cause) =>
      Stream.fromEffectDrain(
        this.#options.narrator.say(
          `the server tells of no changes of ${uri}: ${reasons.of(Cause.squash(cause), this.name)}`
        )
      ))
  }
}

/** A stream as long as a process is not left, even where it has ended before. */
const until = ({ left }: Generation, told: Stream.Stream<void>): Stream.Stream<void> =>
  Stream.interruptWhen(Stream.concat(told, Stream.never), Deferred.await(left))

/** Whether two features of two processes are one resource, or one kind of resources. */
const isSame = (one: Feature, other: Feature): boolean =>
  one._tag === "McpResource" && other._tag === "McpResource"
    ? one.info.uri === other.info.uri
    : one._tag === "McpResourceTemplate" && other._tag === "McpResourceTemplate" &&
      (one.info.uriTemplate === other.info.uriTemplate || (one.listed === false && other.listed === false))
