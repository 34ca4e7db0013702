/** Outgoing texts that other nodes take: their waiting callers, and the handling of their answers. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import type { Address, SendError } from "../Mesh.ts"
import * as Frame from "./Frame.ts"
import { NoOwner, Overloaded, OwnerGone } from "./MeshError.ts"
import { Outgoing } from "./Outgoing.ts"
import type { Post } from "./Post.ts"

/** @internal */
export interface CallsOptions {
  readonly post: Post
  readonly fork: (effect: Effect.Effect<void>) => unknown
  readonly window: number
  readonly ownerOf: (key: string) => Effect.Effect<string | undefined, Overloaded>
  /** Hears of each node that is about to be sent a text. */
  readonly onOpen: (node: string) => void
}

/** @internal */
export class Calls {
  readonly #post: Post
  readonly #fork: (effect: Effect.Effect<void>) => unknown
  readonly #window: number
  readonly #ownerOf: (key: string) => Effect.Effect<string | undefined, Overloaded>
  readonly #onOpen: (node: string) => void
  readonly #waiting = new Map<number, Outgoing>()
  #last = 0

  constructor({ fork, onOpen, ownerOf, post, window }: CallsOptions) {
    this.#post = post
    this.#fork = fork
    this.#window = window
    this.#ownerOf = ownerOf
    this.#onOpen = onOpen
  }

  /** Whether no outgoing text waits. */
  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  call(to: Address, text: string): Stream.Stream<string, SendError> {
    return Stream.scoped(Stream.fromPull(Effect.map(
      Effect.acquireRelease(this.#open("call", to, text), (outgoing) => this.#close(outgoing)),
      ({ pull }) => pull
    )))
  }

  send(to: Address, text: string): Effect.Effect<void, SendError> {
    return Effect.acquireUseRelease(
      this.#open("send", to, text),
      ({ taken }) => taken,
      ({ id }) => Effect.sync(() => void this.#waiting.delete(id))
    )
  }

  /** Takes what a node says of a text that it was sent. */
  take({ detail, from, id, kind, text }: Frame.Frame) {
    const outgoing = this.#waiting.get(id)
    if (outgoing === undefined || outgoing.node !== from) return
    const place = Number(detail)
    switch (kind) {
      case "took":
        return outgoing.end()
      case "refused":
        return outgoing.end(Exit.fail(this.#refusal(outgoing, String(detail))))
      case "item":
        return outgoing.push(place, text) ? undefined : this.#lose(outgoing)
      case "end":
        return outgoing.push(place, text) ? outgoing.end() : this.#lose(outgoing)
      case "done":
        return outgoing.isAt(place) ? outgoing.end() : this.#lose(outgoing)
      case "died":
        return this.#lose(outgoing)
      default:
        return undefined
    }
  }

  /** The nodes that outgoing texts wait for. */
  get nodes(): ReadonlySet<string> {
    const nodes = new Set<string>()
    for (const { isOver, node } of this.#waiting.values()) if (!isOver) nodes.add(node)
    return nodes
  }

  /** The texts that wait for a node, and how much of their answers was read. */
  waitingFor(node: string): Frame.Counts {
    const counts: Array<readonly [number, number]> = []
    for (const outgoing of this.#waiting.values()) {
      if (outgoing.node === node && !outgoing.isOver) counts.push([outgoing.id, outgoing.read])
    }
    return counts
  }

  /** Ends those that wait for a node. */
  lost(node: string) {
    for (const outgoing of [...this.#waiting.values()]) if (outgoing.node === node) this.#lose(outgoing)
  }

  /** A node has answered so many texts of these. Ends those that do not run there, or whose texts have not come. */
  alive(node: string, counts: Frame.Counts) {
    for (const [id, count] of counts) {
      const outgoing = this.#waiting.get(id)
      if (outgoing?.node !== node) continue
      if (count === Frame.notRunning || outgoing.isBehind(count)) this.#lose(outgoing)
    }
  }

  /** Ends all that waits. */
  close() {
    for (const outgoing of [...this.#waiting.values()]) this.#lose(outgoing)
  }

  #open(kind: "call" | "send", to: Address, text: string): Effect.Effect<Outgoing, SendError> {
    const found = "key" in to ? this.#ownerOf(to.key) : Effect.succeed(to.node)
    return Effect.flatMap(found, (node): Effect.Effect<Outgoing, SendError> => {
      const at = "key" in to ? to.key : to.name
      if (node === undefined) return Effect.fail(new NoOwner({ key: at }))
      const id = ++this.#last
      const say = (kind: Frame.Kind, detail: number | string, text = "") =>
        this.#post.send(node, { kind, id, detail, text })
      const outgoing = new Outgoing(id, at, node, this.#window / 2, (read) => Effect.ignore(say("more", read)))
      this.#waiting.set(id, outgoing)
      this.#onOpen(node)
      return Effect.matchEffect(say(kind, at, text), {
        onSuccess: (isThere) => {
          if (isThere) return Effect.succeed(outgoing)
          this.#waiting.delete(id)
          return Effect.fail(new OwnerGone({ key: at, node, sent: false }))
        },
        onFailure: ({ reason }) => {
          this.#waiting.delete(id)
          return Effect.fail(new Overloaded({ key: at, reason }))
        }
      })
    })
  }

  /** A caller that leaves does not wait until the engine knows of it. */
  #close(outgoing: Outgoing): Effect.Effect<void> {
    return Effect.sync(() => {
      const { id, isLost, isOver, node } = outgoing
      this.#waiting.delete(id)
      if (isOver && !isLost) return
      this.#fork(Effect.ignore(this.#post.send(node, { kind: "stop", id, detail: 0, text: "" })))
    })
  }

  /** The text may have been taken, but no more comes of it. */
  #lose(outgoing: Outgoing) {
    const { at, node } = outgoing
    outgoing.isLost = true
    outgoing.end(Exit.fail(new OwnerGone({ key: at, node, sent: true })))
  }

  #refusal({ at, node }: Outgoing, reason: string): SendError {
    return reason === "nobody"
      ? new NoOwner({ key: at })
      : new Overloaded({ key: at, reason: `the node ${node} answers as much as its limit \`inbox\` allows` })
  }
}
