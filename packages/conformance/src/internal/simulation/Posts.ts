/**
 * Sides that are connected by posts: a caller over exchanges, and a `Session` or a `Router` that answers. A session also
 * has a stream to the caller that belongs to no call.
 */
import * as Caller from "@parley/peer/Caller"
import * as Router from "@parley/peer/Router"
import * as Session from "@parley/peer/Session"
import { Exchange } from "@parley/peer/shared"
import { Budget } from "@parley/transport/shared"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Line from "./link/Line.ts"
import { Pipe, type Read } from "./link/Pipe.ts"
import { limitsOf } from "./Scenario.ts"
import { type Setting, type Stage, timeout } from "./Work.ts"

/** Why no more texts come. */
type End = Exchange.Ending | "lost"

/** How a server answers a text; what it sends before goes by `send`. */
type Answer = (text: string, send: (text: string) => Effect.Effect<void>) => Effect.Effect<Option.Option<string>>

/** A post that is under way. */
interface Post {
  readonly up: Pipe<End>
  readonly down: Pipe<End>
  server: Fiber.Fiber<void> | undefined
  isGivenUp: boolean
}

/** How long a host waits for a client that reads nothing, when it ends. */
const patience = 60_000

/** A caller over posts to a router, for which each post stands alone. @internal */
export const posts = (setting: Setting): Stage => {
  const { budgets: [, budget], lookups: [, lookup], scenario } = setting
  const scope = Scope.makeUnsafe()
  const router = Effect.runSync(Scope.provide(
    Router.make({
      limits: limitsOf(scenario.bounds),
      fallback: (call) => lookup.handlerOf(call.method)?.(call) ?? Exit.die(new Error("nothing serves this"))
    }),
    scope
  ))
  /** How the answers that are under way hear that the host shuts down. */
  const hearing = new Set<(step: Router.DrainStep) => void>()
  /** How often the host was ended, and none has followed. */
  let ends = 0
  const onDraining: Router.OnDraining = (hear) => {
    if (ends > 0) hear("begins")
    else hearing.add(hear)
    return () => hearing.delete(hear)
  }
  const answer: Answer = (text, send) =>
    Effect.provideService(router.answer(text, { send, onDraining }), Budget.Budget, budget)
  return make(setting, answer, {
    end: (milliseconds) => {
      ends++
      for (const hear of hearing) hear("begins")
      if (milliseconds !== undefined) setting.world.after(milliseconds, () => void ends--)
    }
  })
}

/** A caller over posts to a session, with lanes of its own. @internal */
export const session = (setting: Setting): Stage => {
  const { budgets: [, budget], lookups: [, router], scenario, world } = setting
  const scope = Scope.makeUnsafe()
  const limits = limitsOf(scenario.bounds)
  const made = Scope.provide(Session.make({ router, limits, timeout }), scope)
  const fiber = world.fork(Effect.provideService(made, Budget.Budget, budget))
  const exit = fiber.pollUnsafe()
  if (exit === undefined || Exit.isFailure(exit)) throw new Error("a session could not be made in one turn")
  const end = () => void world.fork(Scope.close(scope, Exit.void))
  return make(setting, (text, send) => exit.value.answer(text, { send }), { session: exit.value, end })
}

const make = (
  setting: Setting,
  answer: Answer,
  { end, session }: { readonly session?: Session.Session; readonly end: (milliseconds?: number) => void }
): Stage => {
  const { budgets: [budget], history, lookups: [router], readings: [near, far], scenario, world } = setting
  const { links } = scenario
  const live = new Set<Post>()
  /** The stream of a session that belongs to no call. */
  let aside: Pipe<End> | undefined
  /** How many times of being cut off are not over. They may overlap. */
  let cuts = 0

  const pipe = (isUp: boolean) =>
    new Pipe<End>({ world, links, onText: history.onText, writer: isUp ? near : far, reader: isUp ? far : near })

  const sendAside = (text: string) => aside === undefined ? Effect.void : written(aside, text)

  const serve = (post: Post) => {
    post.up.take((read) => {
      if (read._tag === "End" || post.isGivenUp) return
      let hasSent = false
      const send = (text: string) => {
        hasSent = true
        return written(post.down, text)
      }
      const [text] = read.texts
      const isAside = session !== undefined && text.includes(`"aside":true`)
      post.server = world.fork(Effect.flatMap(answer(text, send), (reply) => {
        if (isAside && Option.isSome(reply)) return sendAside(reply.value)
        const write = Option.isSome(reply) ? written(post.down, reply.value) : Effect.void
        return Effect.andThen(write, Effect.sync(() => post.down.end(hasSent ? "stream" : "answer")))
      }))
    })
  }

  /** The caller has gone; the server hears of it later. */
  const giveUp = (post: Post) => {
    if (post.isGivenUp) return
    post.isGivenUp = true
    live.delete(post)
    post.down.break("lost")
    world.after(links.delay, () => {
      post.up.break("lost")
      post.server?.interruptUnsafe()
    })
  }

  const exchange: Exchange.Exchange = {
    post: (text, take) =>
      Effect.suspend(() => {
        const post: Post = { up: pipe(true), down: pipe(false), server: undefined, isGivenUp: false }
        live.add(post)
        serve(post)
        return written(post.up, text).pipe(
          Effect.andThen(reading(post.down, take)),
          Effect.flatMap((end) => end === "lost" ? Effect.fail(lost()) : Effect.succeed(end)),
          Effect.ensuring(Effect.sync(() => giveUp(post)))
        )
      })
  }

  const scope = Scope.makeUnsafe()
  const made = world.fork(
    Scope.provide(
      Exchange.make(exchange, { router, limits: limitsOf(scenario.bounds), timeout }),
      scope
    ).pipe(
      Effect.provideService(Budget.Budget, budget)
    )
  ).pollUnsafe()
  if (made === undefined || Exit.isFailure(made)) throw new Error("a caller could not be made in one turn")
  const client = made.value

  const open = () => {
    if (history.isClosing) return
    aside = pipe(false)
    world.fork(reading(aside, client.take))
  }
  if (session !== undefined) open()

  const caller = session?.caller({ send: sendAside })

  const breakAll = () => {
    for (const post of [...live]) {
      post.up.break("lost")
      post.down.break("lost")
      post.server?.interruptUnsafe()
    }
    aside?.break("lost")
  }

  return {
    callerOf: (side) => side === 0 ? client.caller : caller,
    lose: (milliseconds) => {
      breakAll()
      if (session === undefined) return
      cuts++
      world.after(milliseconds, () => {
        if (--cuts === 0) open()
      })
    },
    gone: () => session?.gone()?._tag,
    end: (side, milliseconds) => {
      if (side === 0) world.fork(Scope.close(scope, Exit.void))
      else end(milliseconds)
      if (history.isClosing) world.after(patience, breakAll, false)
    },
    waits: () => [],
    unread: () =>
      [...live].flatMap(({ down, up }) => [told("a post", up), told("an answer", down)])
        .concat(aside === undefined ? [] : told("the stream", aside))
        .filter((line) => line !== "")
  }
}

const lost = () => new Caller.Disconnected({ reason: Line.lost, sent: true })

const told = (name: string, { unread: { accepted, waiting } }: Pipe<End>) =>
  accepted + waiting === 0 ? "" : `${accepted} characters of ${name} are unread, ${waiting} wait to be written`

/** Writes a text, and waits until there is room again, or the pipe has ended. */
const written = (pipe: Pipe<End>, text: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (pipe.isOver) return resume(Effect.void)
    const wait = pipe.write([text])
    if (wait === undefined) return resume(Effect.void)
    const stop = wait(() => resume(Effect.void))
    return Effect.sync(stop)
  })

/** Hands on texts, one after the other, and gives why no more come. */
const reading = (
  pipe: Pipe<End>,
  take: (text: string) => Effect.Effect<void> | undefined
): Effect.Effect<End> =>
  Effect.gen(function*() {
    for (;;) {
      const read = yield* Effect.callback<Read<End>>((resume) => {
        const stop = pipe.take((read) => resume(Effect.succeed(read)))
        return stop === undefined ? undefined : Effect.sync(stop)
      })
      if (read._tag === "End") return read.end
      for (const text of read.texts) {
        const wait = take(text)
        if (wait !== undefined) yield* wait
      }
    }
  })
