/**
 * Texts from node to node. Each leaves with a subject for answers, at which the server says so if nobody hears it, before it
 * says that it has taken what was sent.
 */
import { weightOf } from "@parley/mesh/Journal"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { NatsClient } from "../../NatsClient.ts"
import type { NatsError } from "../connection/NatsError.ts"
import { tokenOf } from "../jetstream/Subject.ts"
import { Room } from "../Room.ts"
import * as Status from "../Status.ts"
import { cut, Parts, type Piece } from "./Parts.ts"

const encoder = new TextEncoder()

/** @internal */
export class Post {
  readonly #client: NatsClient
  readonly #prefix: string
  readonly #pending: number
  readonly #answers = Status.newInbox()
  /** The texts without a receiver. */
  readonly #unheard = new Set<number>()
  /** Texts whose fate is not known. */
  readonly #open = new Set<number>()
  readonly #room: Room
  #last = 0

  constructor(client: NatsClient, prefix: string, pending: number) {
    this.#client = client
    this.#prefix = prefix
    this.#pending = pending
    this.#room = new Room(client)
  }

  /** Receives the ids of texts without a receiver. */
  get heard(): Effect.Effect<void, NatsError, Scope.Scope> {
    return this.#client.subscribe(`${this.#answers}.*`, (message) => {
      const id = Number(message.subject.slice(this.#answers.length + 1))
      if (Status.isNobody(message) && this.#open.has(id)) this.#unheard.add(id)
    })
  }

  /** `false` where nobody hears the node. Where the server did not say that it has taken the text, it may have. */
  publish(to: string, text: string): Effect.Effect<boolean, NatsError> {
    return Effect.suspend(() => {
      const id = ++this.#last
      const subject = `${this.#prefix}.inbox.${tokenOf(to)}`
      const reply = `${this.#answers}.${id}`
      this.#open.add(id)
      let pieces: ReadonlyArray<Piece> | undefined
      let next = 0
      // The parts of a text follow each other, and texts keep their order, also where one has to wait for room.
      const sent = this.#room.inTurn(weightOf(text), () => {
        pieces ??= cut(encoder.encode(text), this.#client.server().maxPayload, this.#answers, id)
        for (const { data, headers } of pieces.slice(next)) {
          const error = this.#client.publishUnsafe(subject, data, { reply, headers })
          if (error !== undefined) return error
          next++
        }
        return undefined
      })
      return Effect.andThen(
        sent,
        Effect.match(this.#client.flushed, {
          onSuccess: () => !this.#unheard.has(id),
          onFailure: () => true
        })
      ).pipe(Effect.ensuring(Effect.sync(() => {
        this.#open.delete(id)
        this.#unheard.delete(id)
      })))
    })
  }

  subscribe(node: string, onText: (text: string) => void): Effect.Effect<void, NatsError, Scope.Scope> {
    return Effect.suspend(() => {
      const parts = new Parts(this.#pending)
      return this.#client.subscribe(`${this.#prefix}.inbox.${tokenOf(node)}`, (message) => {
        const text = parts.take(message)
        if (text !== undefined) onText(text)
      })
    })
  }
}
