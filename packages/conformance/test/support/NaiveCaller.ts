/**
 * A caller that shares nothing with `Peer`, and one that has a flaw: the laws must accept the first and find out each of
 * the others.
 */
import {
  type Caller,
  type CallError,
  type CallOptions,
  Disconnected,
  type DisconnectReason,
  InvalidResponse,
  type Member,
  RemoteError,
  RequestTimeout
} from "@parley/peer/Caller"
import * as Callers from "@parley/peer/Caller"
import * as Batch from "@parley/protocol/Batch"
import * as Message from "@parley/protocol/Message"
import { RequestId } from "@parley/protocol/shared"
import type { Received, Transport } from "@parley/transport/Transport"
import { Deferred, Duration, Effect, Result, type Schema, type Scope } from "effect"

export type Flaw =
  | "none"
  | "omits empty params"
  | "uses ids again"
  | "answers in turn"
  | "answers what is late"
  | "dies of what is late"
  | "ignores what is malformed"
  | "takes the results of a batch as they come"
  | "cancels nothing"
  | "times out early"
  | "does not end with the connection"
  | "does not end with its Scope"
  | "waits only when it has sent"
  | "reads one text at a time"
  | "stops reading at what is no JSON"

type Json = Schema.Json
type Outcome = Result.Result<Json, CallError>
type Waiting = { readonly method: string; readonly answer: Deferred.Deferred<Json, CallError> }

export const make = (flaw: Flaw) => (transport: Transport): Effect.Effect<Caller, never, Scope.Scope> =>
  Effect.gen(function*() {
    const waiting = new Map<string, Waiting>()
    const arrived: Array<Outcome> = []
    let gone: DisconnectReason | undefined
    let ids = 0

    const settle = (id: string, resultOf: (waiting: Waiting) => Outcome) => {
      const key = flaw === "answers in turn" ? [...waiting.keys()][0] ?? id : id
      const call = waiting.get(key)
      if (call === undefined) {
        if (flaw === "dies of what is late") return transport.close
        return flaw === "answers what is late"
          ? Effect.ignore(transport.send([Message.failureText(id, { code: 0, message: "late" })]))
          : Effect.void
      }
      waiting.delete(key)
      const result = resultOf(call)
      arrived.push(result)
      return Effect.asVoid(Deferred.complete(call.answer, Effect.fromResult(result)))
    }

    const take = (decoded: Batch.Decoded): Effect.Effect<void> => {
      if (Result.isFailure(decoded)) {
        const { failure } = decoded
        if (failure._tag !== "InvalidResponse" || flaw === "ignores what is malformed") return Effect.void
        return settle(
          RequestId.toText(failure.id),
          ({ method }) => Result.fail(new InvalidResponse({ method, rule: failure.rule }))
        )
      }
      const message = decoded.success
      if (message._tag === "Success") {
        return settle(RequestId.toText(message.id), () => Result.succeed(message.result))
      }
      if (message._tag !== "Failure") return Effect.void
      return settle(RequestId.toText(message.id), ({ method }) => {
        const { message: text, ...error } = message.error
        return Result.fail(new RemoteError({ method, text, ...error }))
      })
    }

    const read = (text: Received): Effect.Effect<void> => {
      const batch = Batch.decode(String(text))
      if (Batch.isMembers(batch)) return Effect.forEach(batch, take, { discard: true })
      const isNoJson = Result.isFailure(batch) && batch.failure._tag === "ParseError"
      return isNoJson && flaw === "stops reading at what is no JSON" ? Effect.never : take(batch)
    }

    const end = (reason: DisconnectReason) =>
      Effect.forEach([...waiting], ([id, { answer }]) => {
        gone = reason
        waiting.delete(id)
        return Deferred.fail(answer, new Disconnected({ reason, sent: true }))
      }, { discard: true }).pipe(Effect.tap(() => Effect.sync(() => void (gone = reason))))

    yield* Effect.addFinalizer(() => flaw === "does not end with its Scope" ? Effect.void : end({ _tag: "Closed" }))
    yield* transport.receive.pipe(
      Effect.flatMap((texts) =>
        Effect.forEach(flaw === "reads one text at a time" ? texts.slice(0, 1) : texts, read, { discard: true })
      ),
      Effect.forever,
      Effect.catch(({ reason }) => flaw === "does not end with the connection" ? Effect.void : end(reason)),
      Effect.forkScoped
    )

    const begin = (method: string) => {
      const id = flaw === "uses ids again" ? waiting.size + 1 : ++ids
      const call: Waiting = { method, answer: Deferred.makeUnsafe() }
      if (flaw !== "waits only when it has sent") waiting.set(String(id), call)
      return { ...call, id }
    }

    type Begun = ReturnType<typeof begin>

    const cancel = ({ id }: Begun) =>
      flaw === "cancels nothing"
        ? Effect.void
        : Effect.ignore(transport.send([Message.notificationText("$/cancelRequest", { id })]))

    const sent = (text: string) =>
      Effect.mapError(transport.send([text]), ({ reason }) => new Disconnected({ reason, sent: true }))

    const wait = (call: Begun, timeout: Duration.Input = "30 seconds") =>
      Effect.suspend(() => {
        if (flaw === "waits only when it has sent") waiting.set(String(call.id), call)
        return Deferred.await(call.answer)
      }).pipe(
        Effect.timeoutOrElse({
          // Timers of a runtime may ring up to a millisecond early, and nothing here looks at the clock again.
          duration: flaw === "times out early" ? "1 millis" : Duration.toMillis(timeout) + 1,
          orElse: () => {
            const milliseconds = Duration.toMillis(timeout)
            const error = new RequestTimeout({ method: call.method, id: call.id, milliseconds })
            return Effect.andThen(cancel(call), Effect.fail(error))
          }
        }),
        Effect.onInterrupt(() => cancel(call)),
        Effect.ensuring(Effect.sync(() => waiting.delete(String(call.id))))
      )

    const disconnected = (reason: DisconnectReason) => Effect.fail(new Disconnected({ reason, sent: false }))

    const argumentsOf = (params: Message.Params | undefined) =>
      flaw === "omits empty params" && params !== undefined && Object.keys(params).length === 0 ? undefined : params

    return Callers.make({
      request: (method, params, options?: CallOptions) =>
        Effect.suspend(() => {
          if (gone !== undefined) return disconnected(gone)
          const call = begin(method)
          const text = Message.requestText(String(call.id), method, argumentsOf(params))
          return Effect.andThen(sent(text), wait(call, options?.timeout))
        }),
      notify: (method, params) => Effect.suspend(() => sent(Message.notificationText(method, argumentsOf(params)))),
      batch: (members, options) =>
        Effect.suspend(() => {
          if (gone !== undefined) return disconnected(gone)
          const calls = members.map(({ method, notification }) => notification === true ? undefined : begin(method))
          const [first = "", ...others] = members.map((member, index) => textOf(member, calls[index]?.id))
          return Effect.andThen(
            sent(Batch.join([first, ...others])),
            Effect.forEach(
              calls,
              (call) => call === undefined ? Effect.undefined : Effect.result(wait(call, options?.timeout)),
              { concurrency: "unbounded" }
            )
          )
        }).pipe(Effect.map((results) =>
          flaw === "takes the results of a batch as they come"
            ? results.map((result) => result === undefined ? undefined : arrived.shift())
            : results
        )),
      listen: () => Effect.void,
      pause: () => () => {}
    })
  })

const textOf = ({ method, params }: Member, id: number | undefined): string =>
  id === undefined ? Message.notificationText(method, params) : Message.requestText(String(id), method, params)
