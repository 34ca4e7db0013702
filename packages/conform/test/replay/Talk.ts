/** A client of the tests that writes texts by hand: what it sends does not depend on a library, and what comes is kept. */
import type { Transport, TransportError } from "@parley/transport/Transport"
import { Deferred, Effect, type Schema, type Scope } from "effect"

export type Message = { readonly [name: string]: Schema.Json }

export interface Talk {
  /** Sends a request, and waits for its response. */
  readonly ask: (method: string, params?: Schema.Json) => Effect.Effect<Message>
  readonly tell: (method: string, params?: Schema.Json) => Effect.Effect<void>
  /** Waits for a message of the server with this method, if none has come yet. */
  readonly heard: (method: string) => Effect.Effect<void>
  /** All that was sent and received, text by text. */
  readonly transcript: ReadonlyArray<string>
}

/** Talks over a transport. `answer` gives the result for a request of the server. */
export const make = (
  transport: Transport,
  answer: (method: string, params: Schema.Json | undefined) => Schema.Json = () => null
): Effect.Effect<Talk, never, Scope.Scope> =>
  Effect.gen(function*() {
    const transcript: Array<string> = []
    const waiting = new Map<number, Deferred.Deferred<Message>>()
    const methods = new Set<string>()
    const hearing = new Map<string, Deferred.Deferred<void>>()
    let last = 0
    const send = (message: Message): Effect.Effect<void> =>
      Effect.suspend(() => {
        const text = JSON.stringify({ jsonrpc: "2.0", ...message })
        transcript.push(`> ${text}`)
        return Effect.ignore(transport.send([text]))
      })
    const receive = Effect.flatMap(transport.receive, (texts) =>
      Effect.forEach(texts, (text) =>
        Effect.gen(function*() {
          transcript.push(`< ${String(text)}`)
          const message: Message = JSON.parse(String(text))
          const { id, method } = message
          if (typeof method === "string") {
            methods.add(method)
            yield* Deferred.succeed(hearing.get(method) ?? Deferred.makeUnsafe<void>(), undefined)
            if (id !== undefined) yield* send({ id, result: answer(method, message["params"]) })
          } else yield* Deferred.succeed(waiting.get(Number(id)) ?? Deferred.makeUnsafe<Message>(), message)
        }), { discard: true }))
    yield* Effect.forkScoped(Effect.catch(Effect.forever(receive), (_: TransportError) => Effect.void))
    const params = (value: Schema.Json | undefined): Message => value === undefined ? {} : { params: value }
    return {
      ask: (method, value) =>
        Effect.gen(function*() {
          const id = ++last
          const response = Deferred.makeUnsafe<Message>()
          waiting.set(id, response)
          yield* send({ id, method, ...params(value) })
          return yield* Deferred.await(response)
        }),
      tell: (method, value) => send({ method, ...params(value) }),
      heard: (method) =>
        Effect.suspend(() => {
          if (methods.has(method)) return Effect.void
          const news = Deferred.makeUnsafe<void>()
          hearing.set(method, news)
          return Deferred.await(news)
        }),
      transcript
    }
  })
