/**
 * A server behind whose users act with credentials of their own: each principal has a client of its own, with its lists, its
 * connections and its login. Until somebody has signed in, the server offers that, and what was approved of it.
 */
import type { McpContext } from "@parley/mcp/McpContext"
import type { McpPrompt } from "@parley/mcp/McpPrompt"
import type { McpResource, McpResourceTemplate } from "@parley/mcp/McpResource"
import * as McpTool from "@parley/mcp/McpTool"
import * as Capabilities from "@parley/mcp/payload/Capabilities"
import type { ToolInfo } from "@parley/mcp/payload/Listing"
import type { Feature } from "@parley/mcp/server/Feature"
import type { FeatureSource } from "@parley/mcp/server/FeatureSource"
import { type Change, Hearers } from "@parley/mcp/server/ServerChanges"
import { QuietLog } from "@parley/mcp/shared"
import * as McpError from "@parley/mcp/wire/McpError"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Excerpt } from "@parley/protocol/shared"
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Policy, Refusal } from "../../Policy.ts"
import type { Guard, Subject } from "../policy/Guard.ts"
import * as CalmChanges from "../upstream/lists/CalmChanges.ts"
import * as features from "../upstream/lists/features.ts"
import type { Upstream } from "../upstream/Upstream.ts"
import { type Login, type Pending, signInRequired } from "./Login.ts"

type Features = ReadonlyArray<Feature>

type Users = RcMap.RcMap<string, User, Cause.ExceededCapacityError>

/** The client of one principal. @internal */
export interface User {
  readonly upstream: Upstream
  readonly login: Login
}

interface Options {
  readonly name: string
  readonly guard: Guard
  readonly pins: Policy["pins"]
  /** Makes the client of a principal. */
  readonly make: (principal: string) => Effect.Effect<User, never, Scope.Scope>
  /** How many principals may have one at once. */
  readonly most: number
  readonly idle: Duration.Input
}

/** Milliseconds that a call waits for a server that may ask its caller to sign in, and for one who has said yes. */
const patience = 10_000
const consent = 25_000

const none: Features = []

/** @internal */
export const make = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<UserUpstreams, never, Scope.Scope> {
  const hearers = new Hearers()
  // A change does not tell its user, so that one user would have the clients of all others read their lists.
  const tell = yield* CalmChanges.make((change) => hearers.tell(change))
  const users = yield* RcMap.make({
    lookup: (principal: string) =>
      Effect.tap(options.make(principal), ({ login, upstream }) =>
        upstream.onChange((change) => {
          const done = login.ended()
          tell(change)
          if (done !== undefined) tell({ elicitationId: done })
        })),
    idleTimeToLive: options.idle,
    capacity: options.most
  })
  return new UserUpstreams(options, users, hearers)
})

/** @internal */
export class UserUpstreams implements FeatureSource {
  readonly #options: Options
  readonly #users: Users
  readonly #hearers: Hearers
  readonly #known = new WeakMap<object, Features>()
  readonly #log = QuietLog.make()
  readonly #approved: ReadonlyArray<ToolInfo>

  constructor(options: Options, users: Users, hearers: Hearers) {
    this.#options = options
    this.#users = users
    this.#hearers = hearers
    this.#approved = (options.pins ?? []).flatMap(({ definition, kind }) =>
      // It was the entry of a list.
      kind === "tool" ? [definition as ToolInfo] : []
    )
  }

  capabilities() {
    return features.allCapabilities
  }

  tool() {
    return undefined
  }

  onChange(hear: (change: Change) => void) {
    return this.#hearers.add(hear)
  }

  featuresFor(call: McpContext): Effect.Effect<Features> {
    return this.#of(call, none, (user) =>
      Effect.flatMap(this.#whether(user), (pending) =>
        pending === undefined
          ? Effect.map(user.upstream.featuresFor(call), (all) => this.#made(all, () => all))
          : Effect.sync(() => this.#made(pending, () => this.#waiting(user)))))
  }

  refusedFor(call: McpContext): Effect.Effect<ReadonlyArray<Refusal>> {
    return this.#of(
      call,
      [],
      ({ login, upstream }) => login.pending === undefined ? upstream.refusedFor(call) : Effect.succeed([])
    )
  }

  /** The page that the person has to open, once it is known whether there is one. */
  #whether({ login, upstream }: User): Effect.Effect<Pending | undefined> {
    if (login.pending !== undefined || !upstream.isAway()) return Effect.succeed(login.pending)
    const known = Effect.raceFirst(Effect.exit(upstream.ready), login.asked)
    return Effect.map(Effect.timeoutOption(known, patience), () => login.pending)
  }

  #of<A>(call: McpContext, otherwise: A, use: (user: User) => Effect.Effect<A>): Effect.Effect<A> {
    const { principal } = call
    if (principal === undefined) return Effect.succeed(otherwise)
    return Effect.catch(
      Effect.scoped(Effect.flatMap(RcMap.get(this.#users, principal), use)),
      () => Effect.as(this.#log(`the server ${Excerpt.line(this.#options.name)} has too many users at once`), otherwise)
    )
  }

  /** The same array for the same features. */
  #made(key: object, make: () => Features): Features {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const made = make().map((feature) => this.#signedIn(feature))
    this.#known.set(key, made)
    return made
  }

  /** The features that are offered until the person has signed in. */
  #waiting({ upstream }: User): Features {
    const { guard } = this.#options
    const signIn = McpTool.make(
      "sign_in",
      { description: `Signs you in to ${guard.label}. What it offers is there after that.` },
      () => Effect.succeed(`You are signed in to ${guard.label}.`)
    )
    const before = features.hidden(upstream.known)
    const names = new Set(before.flatMap((one) => one._tag === "McpTool" ? [one.info.name] : []))
    const approved = this.#approved.filter(({ name }) => !names.has(name)).map((info): McpTool.McpTool => ({
      _tag: "McpTool",
      info,
      relays: true,
      bind: (context) => (args, call) =>
        Effect.flatMap(upstream.featuresFor(call), (all) => {
          const found = all.find((one) => one._tag === "McpTool" && one.info.name === info.name)
          return found?._tag === "McpTool"
            ? found.bind(context)(args, call)
            : Effect.fail(McpError.unknownName("tool", info.name))
        })
    }))
    return [signIn, ...guard.offered([...approved, ...before])]
  }

  /** A feature whose calls wait for the login of their caller, or say that one is needed. */
  #signedIn(feature: Feature): Feature {
    switch (feature._tag) {
      case "McpTool": {
        const { bind, info: { name } } = feature
        const bound: McpTool.McpTool["bind"] = (context) => {
          const serve = bind(context)
          return (args, call) => this.#during(call, { kind: "tool", name, arguments: args }, () => serve(args, call))
        }
        return { ...feature, bind: bound }
      }
      case "McpPrompt": {
        const { bind, info: { name } } = feature
        const bound: McpPrompt["bind"] = (context) => {
          const serve = bind(context)
          return (args, call) => this.#during(call, { kind: "prompt", name, arguments: args }, () => serve(args, call))
        }
        return { ...feature, bind: bound }
      }
      case "McpResource": {
        const { bind } = feature
        const bound: McpResource["bind"] = (context) => {
          const read = bind(context)
          return (call, uri) => this.#during(call, { kind: "resource", name: uri }, () => read(call, uri))
        }
        return { ...feature, watch: this.#watching(feature.watch), bind: bound }
      }
      case "McpResourceTemplate": {
        const { bind } = feature
        const bound: McpResourceTemplate["bind"] = (context) => {
          const read = bind(context)
          return (variables, call, uri) =>
            this.#during(call, { kind: "resource", name: uri }, () => read(variables, call, uri))
        }
        return { ...feature, watch: this.#watching(feature.watch), bind: bound }
      }
    }
  }

  /** The client of a principal stays while somebody listens to it. */
  #watching(
    watch: ((uri: string, call: McpContext) => Stream.Stream<unknown, unknown>) | undefined
  ): ((uri: string, call: McpContext) => Stream.Stream<unknown, unknown>) | undefined {
    return watch &&
      ((uri, call) => Stream.unwrap(Effect.as(RcMap.get(this.#users, call.principal ?? ""), watch(uri, call))))
  }

  #during<A, E>(
    call: McpContext,
    subject: Subject,
    serve: () => Effect.Effect<A, E>
  ): Effect.Effect<A, E | ErrorResponse.ErrorResponse> {
    const { guard, name } = this.#options
    const refuse = (error: ErrorResponse.ErrorResponse) => guard.refuse(call, subject, error)
    return Effect.scoped(Effect.flatMap(
      // A call without a principal has found no feature.
      Effect.catch(
        RcMap.get(this.#users, call.principal ?? ""),
        () => refuse(ErrorResponse.make(McpError.Overloaded, `The server ${name} has too many users at once`))
      ),
      (user) =>
        Effect.flatMap(this.#whether(user), (pending) => {
          const ready = pending === undefined ? Effect.void : Effect.catch(this.#asking(call, user, pending), refuse)
          // Tokens may be refused at any time.
          const asked = Effect.flatMap(user.login.asked, (pending) => Effect.fail(this.#required(pending)))
          return Effect.andThen(ready, Effect.raceFirst(Effect.suspend(serve), asked))
        })
    ))
  }

  /** Asks the person to sign in, as far as the client can be asked, and waits for the login. */
  #asking(call: McpContext, user: User, pending: Pending): Effect.Effect<void, ErrorResponse.ErrorResponse> {
    const { elicitationId, url } = pending
    const required = Effect.fail(this.#required(pending))
    if (!Capabilities.canElicitUrl(call.client.capabilities)) return required
    const ask = { url, elicitationId, message: `${Excerpt.line(this.#options.guard.label)} asks: sign in.` }
    if (RevisionCodec.of(call.protocolVersion).features.elicitationId) {
      return Effect.fail(McpError.urlElicitationRequired([ask]))
    }
    return Effect.matchEffect(call.elicitUrl("sign-in", ask), {
      onFailure: () => required,
      onSuccess: ({ _tag }) =>
        _tag !== "Accepted" ? required : Effect.flatMap(
          Effect.timeoutOption(reached(user), consent),
          (done) => Option.isSome(done) ? Effect.void : required
        )
    })
  }

  #required({ url }: Pending): ErrorResponse.ErrorResponse {
    const { guard: { label }, name: server } = this.#options
    return ErrorResponse.make(signInRequired, `Sign in to ${label} first: open ${url}`, { server, url })
  }
}

/** Waits until a principal has signed in and the server is reached. */
const reached = ({ login, upstream }: User): Effect.Effect<void> =>
  Effect.scoped(Effect.gen(function*() {
    yield* login.over
    const up = Deferred.makeUnsafe<void>()
    yield* upstream.onChange(() => {
      if (!upstream.isAway()) Deferred.doneUnsafe(up, Exit.void)
    })
    if (upstream.isAway()) yield* Deferred.await(up)
  }))
