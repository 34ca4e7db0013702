/** A node with a program on it: it owns keys, writes into the journal what it is sent for them, and answers. */
import type { Journal } from "@parley/mesh/Journal"
import type * as MemoryNodes from "@parley/mesh/MemoryNodes"
import type { Lease, Mesh } from "@parley/mesh/Mesh"
import * as MeshNode from "@parley/mesh/MeshNode"
import { Effect, Exit, Fiber, Schedule, Scope, Stream } from "effect"
import * as Link from "../support/links.ts"

/** The facts of one call. */
export interface Call {
  readonly id: string
  readonly key: string
  /** How many texts answer it. */
  readonly count: number
  /** Milliseconds between them. */
  readonly gap: number
  readonly seen: Array<string>
  /** How it has ended for its caller: with all answers, by the tag of an error, or not at all: its node was killed. */
  end: "answered" | "killed" | (string & {}) | undefined
}

/** The history, as an observer of all nodes sees it. */
export interface History {
  readonly calls: Array<Call>
  /** The calls that handlers have begun. */
  readonly taken: Array<{ readonly id: string; readonly key: string; readonly epoch: number | undefined }>
  readonly claims: Array<{ readonly key: string; readonly epoch: number; readonly node: string }>
  /** The texts that the journal has taken, by the epoch of who appended them, in the order in which it has. */
  readonly appended: Array<{ readonly key: string; readonly text: string; readonly epoch: number }>
}

export interface Shared {
  readonly engine: MemoryNodes.MemoryEngine
  readonly journal: Journal
  readonly history: History
}

export class Site {
  readonly mesh: Mesh
  readonly link: Link.Link
  readonly #shared: Shared
  readonly #scope: Scope.Closeable
  readonly #held = new Map<string, { readonly lease: Lease; readonly scope: Scope.Closeable }>()
  #resume: (() => void) | undefined

  private constructor(shared: Shared, mesh: Mesh, link: Link.Link, scope: Scope.Closeable) {
    this.#shared = shared
    this.mesh = mesh
    this.link = link
    this.#scope = scope
  }

  /** A node that serves as soon as it reaches the engine. */
  static readonly start = (shared: Shared, name: string) =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const link = Link.over(shared.engine)
      const made = MeshNode.make(link, { keys: "unsigned", name, window: 1_000 })
      const mesh = yield* Effect.orDie(Effect.retry(Scope.provide(made, scope), patiently))
      const site = new Site(shared, mesh, link, scope)
      const serving = mesh.serve("key", ({ at, text }, answer) => site.#answer(at, text, answer))
      yield* Effect.forkIn(Scope.provide(Effect.retry(serving, patiently), scope), scope)
      return site
    })

  /** Whether it owns a key, for all that it knows. */
  has(key: string): boolean {
    return this.#held.has(key)
  }

  pause() {
    this.#resume ??= this.#shared.engine.pause(this.mesh.node)
  }

  heal() {
    this.#resume?.()
    this.#resume = undefined
    this.link.isCut = false
  }

  /** The process ends, whatever it does. */
  kill(): Effect.Effect<void> {
    this.#shared.engine.kill(this.mesh.node)
    this.heal()
    return Scope.close(this.#scope, Exit.void)
  }

  release(key: string): Effect.Effect<void> {
    const held = this.#held.get(key)
    this.#held.delete(key)
    return held === undefined ? Effect.void : Scope.close(held.scope, Exit.void)
  }

  /** Begins a call of this node. What was surely not taken is sent again, and a key that nobody owns is claimed. */
  ask(call: Call): Effect.Effect<Fiber.Fiber<void>> {
    this.#shared.history.calls.push(call)
    const text = JSON.stringify({ id: call.id, count: call.count, gap: call.gap })
    const attempt: Effect.Effect<string> = Effect.match(
      Stream.runForEach(
        this.mesh.call({ key: call.key }, text),
        (text) => Effect.sync(() => void call.seen.push(text))
      ),
      {
        onSuccess: () => "answered",
        onFailure: (error) => error._tag === "OwnerGone" && !error.sent ? "NoOwner" : error._tag
      }
    )
    const ended: Effect.Effect<string> = Effect.flatMap(
      attempt,
      (end) => end === "NoOwner" || end === "Overloaded" ? Effect.as(this.#claim(call.key), end) : Effect.succeed(end)
    )
    const again = Effect.repeat(ended, {
      schedule: Schedule.spaced("500 millis"),
      times: 30,
      while: (end) => end === "NoOwner" || end === "Overloaded"
    })
    const run = Effect.onExit(again, (exit) =>
      Effect.sync(() => {
        call.end = Exit.isSuccess(exit) ? exit.value : "killed"
      }))
    return Effect.forkIn(Effect.asVoid(run), this.#scope)
  }

  #claim(key: string): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { history, journal } = this.#shared
      const scope = yield* Scope.fork(this.#scope)
      const claimed = yield* Effect.exit(Scope.provide(this.mesh.claim(key), scope))
      if (Exit.isFailure(claimed)) return yield* Scope.close(scope, Exit.void)
      const lease = claimed.value
      history.claims.push({ key, epoch: lease.epoch, node: this.mesh.node })
      const fenced = yield* Effect.exit(journal.fence(key, lease.epoch))
      if (Exit.isFailure(fenced)) return yield* Scope.close(scope, Exit.void)
      this.#held.set(key, { lease, scope })
      const lost = Effect.andThen(
        lease.lost,
        Effect.suspend(() => this.#held.get(key)?.lease === lease ? this.release(key) : Effect.void)
      )
      yield* Effect.forkIn(lost, this.#scope)
    })
  }

  #answer(key: string, text: string, answer: (text: string) => Effect.Effect<void>): Effect.Effect<string> {
    return Effect.suspend(() => {
      const { history, journal } = this.#shared
      // It was written here.
      const { count, gap, id } = JSON.parse(text) as Pick<Call, "id" | "count" | "gap">
      const lease = this.#held.get(key)?.lease
      history.taken.push({ id, key, epoch: lease?.epoch })
      if (lease === undefined) return Effect.interrupt
      const { epoch } = lease
      const append = (text: string) =>
        Effect.matchEffect(journal.append(key, text, epoch), {
          onSuccess: () => Effect.sync(() => void history.appended.push({ key, text, epoch })),
          // An engine that has forgotten everything cannot say that another has had the key: the journal can.
          onFailure: () => Effect.andThen(Effect.forkIn(this.release(key), this.#scope), Effect.interrupt)
        })
      const answers = Effect.forEach(
        Array.from({ length: count }, (_, n) => `${id}/${n}`),
        (text) => Effect.andThen(Effect.sleep(gap), Effect.andThen(append(text), answer(text))),
        { discard: true }
      )
      return Effect.as(answers, `${id}/end`)
    }).pipe(Effect.catchCause(() => Effect.interrupt))
  }
}

const patiently = Schedule.spaced("500 millis")
