/**
 * One node. While it owns, serves or waits for something, it beats: three times in a lease it tells the engine that it
 * lives, asks the nodes that answer it whether they still do, and lets go of those that have been silent for a lease.
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Address, Group, Handler, Lease, Mesh, SendError } from "../Mesh.ts"
import type { MeshEngine } from "../MeshEngine.ts"
import { Calls } from "./Calls.ts"
import * as Frame from "./Frame.ts"
import { Heard } from "./Heard.ts"
import { Inbox } from "./Inbox.ts"
import { Leases } from "./Leases.ts"
import { type Claimed, NoOwner, type Overloaded } from "./MeshError.ts"
import { Post } from "./Post.ts"

/** @internal */
export interface NodeOptions {
  readonly node: string
  /** Milliseconds. */
  readonly lease: number
  readonly inbox: number
  readonly window: number
  readonly context: Context.Context<never>
}

/** @internal */
export class Node implements Mesh {
  readonly node: string
  readonly owner: Mesh["owner"]
  readonly #engine: MeshEngine
  readonly #lease: number
  readonly #clock: Clock.Clock
  readonly #fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  readonly #post: Post
  readonly #leases: Leases
  readonly #calls: Calls
  readonly #inbox: Inbox
  /** The nodes that answer us, and what they have said as such. */
  readonly #answering = new Heard()
  /** The nodes that we answer: one that has left us may still answer us. */
  readonly #calling = new Heard()
  #beating: Fiber.Fiber<void> | undefined
  #telling: Fiber.Fiber<void> | undefined
  /** When this node was about to beat next. */
  #due = 0
  /** When the engine heard it last. */
  #beaten = Number.NEGATIVE_INFINITY
  #isCutOff = false
  /** Whether it has counted as dead, and does not know yet what it has lost. */
  #isBehind = false

  constructor(engine: MeshEngine, { context, inbox, lease, node, window }: NodeOptions) {
    this.node = node
    this.#engine = engine
    this.#lease = lease
    this.#clock = Context.get(context, Clock.Clock)
    this.#fork = Effect.runForkWith(context)
    this.owner = engine.owner
    const post = this.#post = new Post(node, engine, lease, (text) => this.take(text))
    const leases = this.#leases = new Leases(node, engine)
    this.#calls = new Calls({
      post,
      fork: this.#fork,
      window,
      ownerOf: engine.owner,
      onOpen: (node) => {
        this.#answering.expect(node, this.#clock.currentTimeMillisUnsafe())
        this.#beat()
      }
    })
    this.#inbox = new Inbox({ post, fork: this.#fork, inbox, window, owns: (key) => leases.has(key) })
  }

  claim(key: string): Effect.Effect<Lease, Claimed | Overloaded, Scope.Scope> {
    return Effect.andThen(this.#alive, this.#leases.claim(key))
  }

  serve(name: string, handler: Handler): Effect.Effect<void, Overloaded, Scope.Scope> {
    const opened = Effect.contextWith((context: Context.Context<never>) => {
      if (this.#inbox.has(name)) return Effect.die(new TypeError(`this node serves ${name} already`))
      this.#inbox.open(name, { handler, context })
      return Effect.onError(this.#engine.join(name, this.node), () => Effect.sync(() => this.#inbox.shut(name)))
    })
    return Effect.asVoid(Effect.acquireRelease(Effect.andThen(this.#alive, opened), () =>
      Effect.suspend(() => {
        this.#inbox.shut(name)
        return Effect.ignore(this.#engine.part(name, this.node))
      })))
  }

  call(to: Address, text: string): Stream.Stream<string, SendError> {
    return this.#calls.call(to, text)
  }

  send(to: Address | Group, text: string): Effect.Effect<void, SendError> {
    if ("key" in to || "node" in to) return this.#calls.send(to, text)
    return Effect.flatMap(this.#engine.members(to.name), (members) => {
      const others = members.filter((member) => member !== this.node)
      if (others.length === 0) return Effect.fail(new NoOwner({ key: to.name }))
      const sent = Effect.forEach(others, (node) => Effect.exit(this.#calls.send({ ...to, node }, text)), {
        concurrency: "unbounded"
      })
      return Effect.flatMap(sent, (exits) => Exit.asVoidAll(exits))
    })
  }

  /** Takes a text of another node. */
  readonly take = (text: string) => {
    const frame = Frame.decode(text)
    if (frame === undefined) {
      this.#fork(Effect.logDebug(`dropped a text to the node ${Excerpt.line(this.node)} that is none of a mesh`))
      return
    }
    const { from, kind } = frame
    const now = this.#clock.currentTimeMillisUnsafe()
    switch (kind) {
      case "call":
      case "send":
        this.#calling.expect(from, now)
        this.#calling.hear(from, now)
        this.#inbox.take(frame)
        return this.#beat()
      case "more":
      case "stop":
        this.#calling.hear(from, now)
        return this.#inbox.take(frame)
      case "watch":
        this.#calling.hear(from, now)
        return this.#watched(from, Frame.countsOf(frame.text))
      case "alive":
        this.#answering.hear(from, now)
        return this.#calls.alive(from, Frame.countsOf(frame.text))
      default:
        this.#answering.hear(from, now)
        return this.#calls.take(frame)
    }
  }

  /** Frees what it owns, and ends what waits. */
  get close(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#beating?.interruptUnsafe()
      this.#telling?.interruptUnsafe()
      this.#calls.close()
      for (const name of [...this.#inbox.names]) this.#inbox.shut(name)
      return Effect.ignore(this.#engine.leave(this.node))
    })
  }

  /** Tells the engine that this node lives, where it does not know. */
  readonly #alive: Effect.Effect<void, Overloaded> = Effect.suspend(() => {
    this.#beat()
    return this.#clock.currentTimeMillisUnsafe() - this.#beaten < this.#lease ? Effect.void : this.#tell
  })

  readonly #tell: Effect.Effect<void, Overloaded> = Effect.suspend(() => {
    const since = this.#clock.currentTimeMillisUnsafe()
    return Effect.flatMap(this.#engine.beat(this.node, this.#lease), (wasAlive) => {
      // The engine may have heard a beat whose answer did not come, and knows nothing of the silence before it.
      this.#isBehind ||= !wasAlive || this.#clock.currentTimeMillisUnsafe() - this.#beaten >= this.#lease
      const joined = !this.#isBehind ? Effect.void : Effect.andThen(
        this.#leases.kept,
        Effect.forEach(this.#inbox.names, (name) => this.#engine.join(name, this.node), { discard: true })
      )
      return Effect.map(joined, () => {
        this.#isBehind = false
        this.#beaten = since
      })
    })
  })

  /** Says in the log when the engine goes away, and when it is back. */
  #told(tell: Effect.Effect<void, Overloaded>): Effect.Effect<void> {
    return Effect.matchEffect(tell, {
      onSuccess: () => {
        if (!this.#isCutOff) return Effect.void
        this.#isCutOff = false
        return Effect.logInfo(`the node ${Excerpt.line(this.node)} reaches its engine again`)
      },
      onFailure: (error) => {
        if (this.#isCutOff) return Effect.void
        this.#isCutOff = true
        return Effect.logWarning(
          `the node ${Excerpt.line(this.node)} does not reach its engine`,
          Excerpt.cause(Cause.fail(error))
        )
      }
    })
  }

  /** Beats for as long as there is need. */
  #beat() {
    if (this.#beating !== undefined) return
    const fiber = this.#beating = this.#fork(this.#rhythm)
    fiber.addObserver(() => {
      this.#beating = undefined
    })
  }

  readonly #rhythm: Effect.Effect<void> = Effect.suspend(() => {
    const interval = this.#lease / beats
    this.#due = this.#clock.currentTimeMillisUnsafe() + interval
    return Effect.sleep(interval)
  }).pipe(
    Effect.andThen(Effect.suspend(() => {
      // A node that was frozen has received nothing in the meantime, whoever has sent.
      const now = this.#clock.currentTimeMillisUnsafe()
      if (now - this.#due > this.#lease / 2) {
        for (const heard of [this.#answering, this.#calling]) heard.hearAll(now)
      }
      if (!this.#leases.isEmpty || !this.#inbox.isEmpty) this.#tellAgain()
      this.#watch()
      return this.#leases.isEmpty && this.#inbox.isEmpty && this.#calls.isEmpty ? Effect.void : this.#rhythm
    }))
  )

  /** The rhythm does not wait for an engine that takes its time: silence is heard all the same. */
  #tellAgain() {
    if (this.#telling !== undefined) return
    const fiber = this.#telling = this.#fork(this.#told(Effect.andThen(this.#tell, this.#leases.settled)))
    fiber.addObserver(() => {
      this.#telling = undefined
    })
  }

  /** Asks the nodes that answer us whether they do, and lets go of those that have been silent. */
  #watch() {
    const since = this.#clock.currentTimeMillisUnsafe() - this.#lease
    const answering = this.#calls.nodes
    const { callers } = this.#inbox
    for (const node of callers) if (this.#calling.isSilentSince(node, since)) this.#inbox.lost(node)
    this.#calling.keep(callers)
    this.#answering.keep(answering)
    for (const node of answering) {
      if (this.#answering.isSilentSince(node, since)) this.#calls.lost(node)
      else this.#fork(this.#watchOne(node))
    }
  }

  /** Counts at the moment of sending: a call that began behind the count would look as if nobody waited for it. */
  #watchOne(node: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const text = Frame.textOf(this.#calls.waitingFor(node))
      return Effect.match(this.#post.send(node, { kind: "watch", id: 0, detail: 0, text }), {
        onFailure: () => {},
        onSuccess: (isThere) => {
          if (isThere) return this.#answering.reach(node)
          // One whose connection to the engine is made again is there at the next beat.
          const now = this.#clock.currentTimeMillisUnsafe()
          if (now - this.#answering.miss(node, now) >= this.#lease / beats / 2) this.#calls.lost(node)
        }
      })
    })
  }

  #watched(from: string, counts: Frame.Counts) {
    const text = Frame.textOf(this.#inbox.watched(from, counts))
    this.#fork(Effect.ignore(this.#post.send(from, { kind: "alive", id: 0, detail: 0, text })))
  }
}

/** In a lease: one of them may be late, and one lost. */
const beats = 3
