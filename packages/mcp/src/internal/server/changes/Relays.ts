/**
 * Changes that the clients of other nodes hear of, too: all nodes of a mesh whose servers have the same name.
 *
 * Pending changes are deduplicated. Changes from other nodes go to local clients, and are not relayed again.
 */
import type { Mesh, Overloaded } from "@parley/mesh/Mesh"
import { Excerpt } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { type Change, lists } from "../../../server/ServerChanges.ts"
import { keyOf, type Watchers } from "./Watcher.ts"

/** @internal */
export class Relays {
  readonly #watchers: Watchers
  readonly #name: string
  readonly #fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  readonly #all = new Map<Mesh, Shared>()

  constructor(server: string, watchers: Watchers, fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>) {
    this.#name = `mcp/${server}/changes`
    this.#watchers = watchers
    this.#fork = fork
  }

  /** Tells those who listen here, and the other nodes. */
  mark(change: Change) {
    this.#watchers.mark(change)
    for (const { relay } of this.#all.values()) relay.mark(change)
  }

  /** Shares changes with the other nodes of a mesh until the Scope closes, however often that is asked for. */
  share(mesh: Mesh): Effect.Effect<void, Overloaded, Scope.Scope> {
    const opened = Effect.suspend(() => {
      const known = this.#all.get(mesh)
      if (known !== undefined) return Effect.sync(() => void known.users++)
      const scope = Scope.makeUnsafe()
      const relay = new Relay(this.#name, mesh, this.#fork)
      this.#all.set(mesh, { scope, relay, users: 1 })
      return Scope.provide(mesh.serve(this.#name, ({ text }) => this.#hear(text)), scope).pipe(
        Effect.onError(() => Effect.sync(() => void this.#all.delete(mesh)))
      )
    })
    return Effect.asVoid(Effect.acquireRelease(opened, () =>
      Effect.suspend(() => {
        const shared = this.#all.get(mesh)
        if (shared === undefined || --shared.users > 0) return Effect.void
        this.#all.delete(mesh)
        return Scope.close(shared.scope, Exit.void)
      })))
  }

  #hear(text: string): Effect.Effect<void> {
    return Option.match(decode(text), {
      onNone: () =>
        Effect.logWarning(`another node sent changes to ${Excerpt.line(this.#name)} that this version does not know`),
      onSome: (changes) => Effect.sync(() => changes.forEach((change) => this.#watchers.mark(change)))
    })
  }
}

interface Shared {
  readonly scope: Scope.Closeable
  readonly relay: Relay
  /** How many want it. */
  users: number
}

const Changes = Schema.fromJsonString(
  Schema.Array(Schema.Union([
    Schema.Struct({ list: Schema.Literals(lists) }),
    Schema.Struct({ uri: Schema.String }),
    Schema.Struct({ elicitationId: Schema.String }),
    Schema.Struct({
      extension: Schema.String,
      method: Schema.String,
      params: Schema.JsonObject,
      key: Schema.optionalKey(Schema.String)
    })
  ]))
)

const decode = Schema.decodeUnknownOption(Changes)

/** Sends changes to the other nodes, those that come meanwhile together. */
class Relay {
  readonly #name: string
  readonly #mesh: Mesh
  readonly #fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  readonly #pending = new Map<string, Change>()
  #isSending = false
  /** Whether the log has it that they do not arrive. */
  #isTold = false

  constructor(name: string, mesh: Mesh, fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>) {
    this.#name = name
    this.#mesh = mesh
    this.#fork = fork
  }

  mark(change: Change) {
    this.#pending.set(keyOf(change), change)
    // A client that reads again what it listens to misses no change for good.
    for (const oldest of this.#pending.keys()) {
      if (this.#pending.size <= mostPending) break
      this.#pending.delete(oldest)
    }
    if (this.#isSending) return
    this.#isSending = true
    this.#fork(this.#go)
  }

  readonly #go: Effect.Effect<void> = Effect.suspend(() => {
    const changes = [...this.#pending.values()]
    this.#pending.clear()
    this.#isSending = changes.length > 0
    return this.#isSending ? Effect.andThen(this.#sent(JSON.stringify(changes)), this.#go) : Effect.void
  })

  #sent(text: string): Effect.Effect<void> {
    return Effect.matchEffect(this.#mesh.send({ name: this.#name }, text), {
      onSuccess: () => this.#told(false),
      onFailure: (error) => {
        // There is no other node.
        if (error._tag === "NoOwner") return this.#told(false)
        const isNews = !this.#isTold
        return Effect.andThen(
          this.#told(true),
          isNews
            ? Effect.logWarning(
              `changes of ${Excerpt.line(this.#name)} do not reach the clients of all other nodes`,
              Excerpt.cause(Cause.fail(error))
            )
            : Effect.void
        )
      }
    })
  }

  #told(isTold: boolean): Effect.Effect<void> {
    return Effect.sync(() => {
      this.#isTold = isTold
    })
  }
}

/** Changes that wait until they can be sent to other nodes. The oldest go first. */
const mostPending = 1_024
