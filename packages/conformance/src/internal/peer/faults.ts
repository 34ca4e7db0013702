/**
 * Calls over a bad line, to a server that returns what it was sent.
 */
import * as Batch from "@parley/protocol/Batch"
import * as Message from "@parley/protocol/Message"
import { RequestId } from "@parley/protocol/shared"
import type { Transport } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Faulty from "../../Faulty.ts"
import { type Body, firstVerdict, verdictOf } from "../laws.ts"
import * as Calls from "./calls.ts"

/** The calls of one law, by the only element of their params. */
const calls = Array.from({ length: 20 }, (_, index) => index)

/** Nothing is lost, so every call gets its answer. */
export const arrive = (all: Calls.Called, seed: number): Body => answered(all, { seed, delay: 0.4, split: 0.6 })

/** Nothing is lost, and the answers, which all come at the end, change places. */
export const reordered = (all: Calls.Called, seed: number): Body =>
  answered(all, { seed, delay: 0.3, split: 0.5, reorder: 0.4 }, afterAll)

const answered = (all: Calls.Called, faults: Faulty.FaultyOptions, answer?: typeof atOnce): Body =>
  named(
    faults,
    Effect.gen(function*() {
      const { caller, end } = yield* overLine(all, faults, answer)
      const fibers = yield* Effect.forEach(calls, (index) => Calls.begin(caller.request("echo", [index])))
      return yield* firstVerdict(fibers.entries(), ([index, fiber]) =>
        Effect.map(end(fiber), (exit) => Calls.arrives(Result.succeed([index]), exit)))
    })
  )

/** The seed is what makes a failure happen again. */
const named = ({ seed }: Faulty.FaultyOptions, body: Body): Body =>
  Effect.map(
    verdictOf(body),
    (verdict) => verdict === undefined ? undefined : `under the faults of seed ${seed}: ${verdict}`
  )

/** Texts are lost, and perhaps the line. When it ends, all calls have ended, with their own answer or with none. */
export const end = (all: Calls.Called, seed: number): Body =>
  named(
    { seed },
    Effect.gen(function*() {
      let ended = 0
      let far: Side | undefined
      const { caller, end } = yield* overLine(
        all,
        { seed, delay: 0.3, split: 0.5, garble: 0.15, cut: 0.02 },
        atOnce,
        (side) => far = side
      )
      const counted = (index: number) =>
        Effect.onExit(caller.request("echo", [index]), () => Effect.sync(() => ended++))
      const fibers = yield* Effect.forEach(calls, (index) => Calls.begin(counted(index)))
      yield* Calls.quiet(() => ended)
      if (far !== undefined) yield* far.close
      const verdict = yield* firstVerdict(
        fibers.entries(),
        ([index, fiber]) => Effect.map(end(fiber), (exit) => Calls.arrivesOrFails(Result.succeed([index]), exit))
      )
      return verdict ?? (ended === calls.length ? undefined : `${calls.length} calls ended ${ended} times`)
    })
  )

const overLine = (
  all: Calls.Called,
  faults: Faulty.FaultyOptions,
  answer = atOnce,
  onServer: (side: Side) => void = () => {}
) =>
  Calls.open(all, (near, far) =>
    Effect.gen(function*() {
      onServer(far)
      const reply = answer(far)
      // Ends with the line.
      yield* Effect.forkDetach(Effect.ignore(Effect.forever(Effect.flatMap(far.receive, (texts) =>
        Effect.forEach(texts, (text) => {
          const echoed = typeof text === "string" ? echo(text) : undefined
          return echoed === undefined ? Effect.void : reply(echoed)
        })))))
      return (yield* Faulty.make(near, faults)).transport
    }))

type Side = Transport

const atOnce = (far: Side) => (reply: string): ReturnType<Side["send"]> => far.send([reply])

/** Replies when all calls have come. The trailer lets the last reply change places: it has a text to wait for. */
const afterAll = (far: Side): ReturnType<typeof atOnce> => {
  const replies: Array<string> = []
  return (reply) =>
    Effect.suspend(() =>
      replies.push(reply) < calls.length
        ? Effect.void
        : Effect.forEach([...replies, trailer], (text) => far.send([text]), { discard: true })
    )
}

const trailer = Message.encodeUnsafe({ _tag: "Notification", method: "answered" })

const echo = (text: string): string | undefined => {
  const batch = Batch.decode(text)
  const replies = (Batch.isMembers(batch) ? batch : [batch]).flatMap((member) =>
    Result.isSuccess(member) && member.success._tag === "Request"
      ? [Message.successText(RequestId.toText(member.success.id), member.success.params ?? null)]
      : []
  )
  const [first, ...others] = replies
  if (first === undefined) return undefined
  return Batch.isMembers(batch) ? Batch.join([first, ...others]) : first
}
