/**
 * A link with two ends, each of them a `Transport`.
 */
import { Direct } from "@parley/transport/shared"
import { type Transport, transportError, type TransportReason } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Links } from "../Scenario.ts"
import type { World } from "../World.ts"
import { Pipe, type Read, type Reading } from "./Pipe.ts"

/** @internal */
export interface Line {
  readonly transports: readonly [Transport, Transport]
  /** The direction that a side writes to. */
  readonly pipes: readonly [Pipe<TransportReason>, Pipe<TransportReason>]
  /** Both ends fail, and the data in flight is lost. */
  readonly lose: () => void
}

/** @internal */
export interface Options {
  readonly world: World
  readonly links: Links
  readonly readings: readonly [Reading, Reading]
  readonly onText: (size: number) => void
}

/** Why a link is lost. @internal */
export const lost: TransportReason = { _tag: "Lost", cause: new Error("the simulation has cut the link") }

/** @internal */
export const make = (options: Options): Line => {
  const { links, readings: [near, far] } = options
  const out = new Pipe<TransportReason>({ ...options, writer: near, reader: far })
  const back = new Pipe<TransportReason>({ ...options, writer: far, reader: near })
  return {
    transports: [transportOf(back, out, links), transportOf(out, back, links)],
    pipes: [out, back],
    lose: () => {
      out.break(lost)
      back.break(lost)
    }
  }
}

const transportOf = (
  input: Pipe<TransportReason>,
  output: Pipe<TransportReason>,
  { direct }: Links
): Transport => {
  let closed: TransportReason | undefined

  const take: Direct.Take = (resume) => input.take((read) => resume(exitOf(read)))

  const give: Direct.Give = (texts) => {
    if (closed !== undefined) return Exit.fail(transportError(closed))
    if (output.isOver) return Exit.fail(transportError(lost))
    const wait = output.write(texts)
    if (wait === undefined) return Exit.void
    return Effect.callback((resume) => {
      const stop = wait((reason) => resume(reason === undefined ? Exit.void : Exit.fail(transportError(reason))))
      return Effect.sync(stop)
    })
  }

  return {
    receive: direct ? Direct.receive(take) : Effect.callback((resume) => {
      const stop = take(resume)
      return stop === undefined ? undefined : Effect.sync(stop)
    }),
    send: direct ? Direct.send(give) : (texts) => Effect.suspend(() => give(texts)),
    close: Effect.sync(() => {
      if (closed !== undefined) return
      closed = { _tag: "Closed" }
      input.break(closed, lost)
      output.end({ _tag: "EndOfInput" }, closed)
    })
  }
}

const exitOf = (read: Read<TransportReason>) =>
  read._tag === "Texts" ? Exit.succeed(read.texts) : Exit.fail(transportError(read.end))
