/**
 * An exchange over one connection that all of its texts share: for clients that
 * come by HTTP to an endpoint that carries texts both ways.
 *
 * Each request travels under a number of ours and its response under its own id
 * again; no other character of either changes. A message that the endpoint may read
 * in another way is refused, since it could take another client's answer. What
 * cancels a request is not passed on, since clients that come by HTTP cannot be told
 * apart. The connection is opened when it is needed, and again when it was lost. What
 * the endpoint itself asks has no way back to anybody, and is answered -32601.
 */
import type { Exchange } from "@parley/peer/shared"
import * as Batch from "@parley/protocol/Batch"
import * as Message from "@parley/protocol/Message"
import { ErrorObject, ErrorReply, Excerpt, RequestId, Splice } from "@parley/protocol/shared"
import type { Received, Transport, TransportError } from "@parley/transport/Transport"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as ambiguity from "./ambiguity.ts"
import { Asked, type Rules } from "./Asked.ts"
import * as failures from "./failures.ts"
import * as looseIds from "./looseIds.ts"

export interface Options {
  readonly rules: Rules
  /** Receives the reason why the connection could not be opened, or was lost. */
  readonly complain: (sentence: string) => Effect.Effect<void>
}

/** One opened connection. Its numbers are never used again on it. */
interface Line {
  readonly transport: Transport
  readonly scope: Scope.Closeable
  readonly waiting: Map<number, Slot>
  last: number
  isLost: boolean
}

/** The place of a response among the replies of its text. */
interface Slot {
  readonly post: Post
  readonly member: number
  /** The characters of the id that its client gave it. */
  readonly id: string
}

/** A text, and the responses of its members. */
class Post {
  readonly #replies: Array<string | undefined>
  readonly #done = Deferred.makeUnsafe<void>()
  #open = 0

  constructor(members: ReadonlyArray<Batch.Decoded>, rules: Rules) {
    this.#replies = members.map((member) => refusalOf(member, rules))
  }

  wait() {
    this.#open++
  }

  settle(member: number, reply: string) {
    this.#replies[member] = reply
    if (--this.#open === 0) Deferred.doneUnsafe(this.#done, Exit.void)
  }

  /** Waits until nothing is waited for; to be asked when all that is waited for is known. */
  get finished(): Effect.Effect<void> {
    return this.#open === 0 ? Effect.void : Deferred.await(this.#done)
  }

  /** The answer to the text: the replies in the order of its members. */
  text(isBatch: boolean): string | undefined {
    const [first, ...others] = this.#replies.filter((reply) => reply !== undefined)
    return first === undefined || !isBatch ? first : Batch.join([first, ...others])
  }
}

/** The client learns only that its message is invalid. */
const logRefusal = ({ message }: Message.Malformed, text: string): Effect.Effect<void> =>
  Effect.logDebug(`Refused a text of a client: ${Excerpt.line(message)}; it began ${Excerpt.line(text)}`)

/** The answer to what no endpoint needs to see. */
const refusalOf = (member: Batch.Decoded, rules: Rules): string | undefined => {
  if (Result.isSuccess(member)) {
    const message = member.success
    return message._tag === "Request" && ambiguity.isCancellation(message.method)
      ? Message.failureText(RequestId.toText(message.id), ErrorObject.methodNotFound(message.method), rules)
      : undefined
  }
  return ErrorReply.toMalformed(member.failure, rules)
}

/** The exchange, until the Scope closes. */
export const make = Effect.fnUntraced(function*(
  open: Effect.Effect<Transport, TransportError, Scope.Scope>,
  { complain, rules }: Options
): Effect.fn.Return<Exchange.Exchange, never, Scope.Scope> {
  const parent = yield* Effect.scope
  const opening = Semaphore.makeUnsafe(1)
  const turn = Semaphore.makeUnsafe(1)
  let current: Line | undefined

  const connect = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const scope = yield* Scope.fork(parent)
      const transport = yield* Effect.onError(
        restore(Scope.provide(open, scope)),
        () => Scope.close(scope, Exit.void)
      )
      const line: Line = { transport, scope, waiting: new Map(), last: 0, isLost: false }
      current = line
      yield* Effect.forkIn(restore(read(line)), parent)
      return line
    })
  )

  const line = opening.withPermit(Effect.suspend(() => current === undefined ? connect : Effect.succeed(current)))

  const send = ({ transport }: Line, text: string) => turn.withPermit(transport.send([text]))

  const read = (line: Line): Effect.Effect<void> =>
    line.transport.receive.pipe(
      Effect.flatMap((received) => Effect.forEach(received, (each) => take(line, each), { discard: true })),
      Effect.forever({ disableYield: true }),
      Effect.catch((error) => lose(line, error))
    )

  const take = (line: Line, received: Received): Effect.Effect<void, TransportError> => {
    if (typeof received !== "string") {
      const isKnown = received.kind === "response" && unread(line, received.id)
      if (!isKnown && received.kind !== "notification") blame(line, failures.unreadable)
      return complain(`a frame of it cannot be read (${received.reason}): ${received.excerpt}`)
    }
    const batch = Batch.decode(received, rules)
    if (!Batch.isMembers(batch)) return takeMember(line, batch, received)
    const parts = Splice.parts(received)
    const takeThose = (general: boolean) =>
      Effect.forEach(
        batch,
        (member, at) => Batch.isGeneral(member) === general ? takeMember(line, member, parts[at] ?? "") : Effect.void,
        { discard: true }
      )
    // A response without a request may be about a notification: it counts only if nothing else in the text answers.
    return Effect.andThen(takeThose(false), takeThose(true))
  }

  const takeMember = (line: Line, member: Batch.Decoded, text: string): Effect.Effect<void, TransportError> => {
    const message = Result.isSuccess(member) ? member.success : member.failure
    switch (message._tag) {
      case "Request":
        return send(
          line,
          Message.failureText(RequestId.toText(message.id), ErrorObject.methodNotFound(message.method), rules)
        )
      case "Notification":
        return Effect.logDebug(`Nobody takes the notification ${Excerpt.line(message.method)}`)
      case "Success":
      case "Failure":
      case "InvalidResponse": {
        const slot = typeof message.id === "number" ? line.waiting.get(message.id) : undefined
        if (slot !== undefined && typeof message.id === "number") {
          line.waiting.delete(message.id)
          const rule = ambiguity.of(Splice.names(text)[0] ?? [])
          if (rule === undefined) {
            slot.post.settle(slot.member, Splice.mapIds(text.trim(), () => slot.id))
            return Effect.void
          }
          return Effect.map(
            complain(`an answer of it is ambiguous and was not passed on: ${rule}`),
            () => refuse(slot, failures.unreadable)
          )
        }
        if (message._tag === "Failure" && message.id === null && blame(line, message.error)) return Effect.void
        return Effect.logDebug(`Nobody waits for the response ${Excerpt.line(RequestId.toText(message.id))}`)
      }
      case "ParseError":
        unread(line, message.id)
        return complain(`it sent what is no message: ${message.rule}`)
      default:
        return complain(`it sent what is no message: ${message.rule}`)
    }
  }

  /** Refuses the request that a response answers which cannot be read, and gives whether its id shows one. */
  const unread = ({ waiting }: Line, id: string | undefined): boolean => {
    const number = Number(id)
    const slot = id === undefined ? undefined : waiting.get(number)
    if (slot === undefined) return false
    waiting.delete(number)
    refuse(slot, failures.unreadable)
    return true
  }

  /** Gives an error that names no request to the one text that waits; where several do, it says nothing about any. */
  const blame = ({ waiting }: Line, error: ErrorObject.ErrorObject): boolean => {
    const slots = [...waiting]
    const post = slots[0]?.[1].post
    if (post === undefined || slots.some(([, slot]) => slot.post !== post)) return false
    waiting.clear()
    for (const [, slot] of slots) refuse(slot, error)
    return true
  }

  const refuse = ({ id, member, post }: Slot, error: ErrorObject.ErrorObject) =>
    post.settle(member, Message.failureText(id, error, rules))

  const lose = (line: Line, error: TransportError): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (line.isLost) return Effect.void
      line.isLost = true
      if (current === line) current = undefined
      const slots = [...line.waiting.values()]
      line.waiting.clear()
      for (const slot of slots) refuse(slot, failures.lost(error))
      const isQuiet = slots.length === 0 && error.reason._tag === "EndOfInput"
      return Effect.andThen(isQuiet ? Effect.void : complain(error.message), Scope.close(line.scope, Exit.void))
    })

  /** The part of a text that may be sent, with new ids; the proxy answers the rest itself. */
  const outgoing = (
    text: string,
    members: ReadonlyArray<Batch.Decoded>,
    post: Post,
    line: Line,
    mine: Array<number>
  ) => {
    const number = (id: string, member: number) => {
      // JSON-RPC 1.0 writes notifications with the id null.
      if (isNotification(members[member])) return id
      const number = ++line.last
      mine.push(number)
      post.wait()
      line.waiting.set(number, { post, member, id })
      return String(number)
    }
    if (members.every(isCall)) return Splice.mapIds(text, number)
    const parts = Splice.parts(text)
    const [first, ...others] = members.flatMap((member, at) =>
      isCall(member) ? [Splice.mapIds(parts[at] ?? "", (id) => number(id, at))] : []
    )
    return first === undefined ? undefined : Batch.join([first, ...others])
  }

  const converse = (
    line: Line,
    text: string,
    members: ReadonlyArray<Batch.Decoded>,
    post: Post
  ): Effect.Effect<void> =>
    Effect.suspend(() => {
      const mine: Array<number> = []
      const whole = outgoing(text, members, post, line, mine)
      // When it fails the reader hears of it as well, but perhaps not yet.
      const sent = whole === undefined ? Effect.void : Effect.catch(send(line, whole), (error) => lose(line, error))
      return sent.pipe(
        Effect.andThen(Effect.suspend(() => post.finished)),
        Effect.ensuring(Effect.sync(() => mine.forEach((number) => line.waiting.delete(number))))
      )
    })

  const exchange: Exchange.Exchange = {
    post: Effect.fnUntraced(function*(text, take) {
      const batch = Batch.decode(text, rules)
      const members = unambiguous(Batch.isMembers(batch) ? batch : [batch], text)
      const post = new Post(members, rules)
      for (const member of members) if (Result.isFailure(member)) yield* logRefusal(member.failure, text)
      if (members.some(isCall)) {
        const opened = yield* Effect.result(line)
        if (Result.isFailure(opened)) {
          yield* complain(opened.failure.message)
          return yield* answer(new Asked(text, rules).rest(failures.unreachable(opened.failure)), take)
        }
        if (opened.success.waiting.size + members.length > rules.waiting) {
          return yield* answer(new Asked(text, rules).rest(failures.overloaded), take)
        }
        yield* converse(opened.success, text, members, post)
      }
      return yield* answer(post.text(Batch.isMembers(batch)), take)
    })
  }
  return looseIds.carried(exchange, rules)
})

const answer = (
  reply: string | undefined,
  take: Parameters<Exchange.Exchange["post"]>[1]
): Effect.Effect<Exchange.Ending> =>
  Effect.as(reply === undefined ? Effect.void : Effect.suspend(() => take(reply) ?? Effect.void), "answer" as const)

const isNotification = (member: Batch.Decoded | undefined): boolean =>
  member !== undefined && Result.isSuccess(member) && member.success._tag === "Notification"

/** Whether a member of a text goes to the endpoint. */
const isCall = (member: Batch.Decoded): boolean => {
  if (Result.isFailure(member)) return false
  const message = member.success
  return (message._tag === "Request" || message._tag === "Notification") && !ambiguity.isCancellation(message.method)
}

/** The members of a text, where the calls are refused that the endpoint may read in another way. */
const unambiguous = (members: ReadonlyArray<Batch.Decoded>, text: string): ReadonlyArray<Batch.Decoded> => {
  if (!members.some(isCall)) return members
  const names = Splice.names(text)
  return members.map((member, at) => {
    if (Result.isFailure(member)) return member
    const message = member.success
    if (message._tag !== "Request" && message._tag !== "Notification") return member
    const rule = ambiguity.of(names[at] ?? [], message.method)
    return rule === undefined
      ? member
      : Result.fail(new Message.InvalidRequest({ id: message._tag === "Request" ? message.id : null, rule }))
  })
}
