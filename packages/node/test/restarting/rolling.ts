/** Three restarts in a row under polls and subscriptions, measured. */
import { Retry } from "@parley/middleware"
import { Reconnecting } from "@parley/peer"
import { Deferred, Effect, Exit, Fiber, Schedule, type Scope, Stream } from "effect"
import { Service, type WireName, wires } from "./service.ts"

/** A server that runs, and how it is told to shut down in order. */
export interface Server {
  readonly number: number
  readonly port: number
  /** Ends when it listens no more. What runs there may go on. */
  readonly stop: Effect.Effect<void>
}

/** Starts a server at a port, and ends when it listens. */
export type Start = (wire: WireName, port: number) => Effect.Effect<Server, unknown, Scope.Scope>

export interface Options {
  readonly wire: WireName
  readonly start: Start
  /** Draws numbers from 0 to 1. */
  readonly draw: () => number
  /** Milliseconds for which nobody listens, at most. */
  readonly gap: number
}

export interface Measured {
  /** Why polls, and calls that ran when their server shut down, have failed. */
  readonly failures: ReadonlyArray<unknown>
  readonly polls: number
  /** For each restart, milliseconds from the moment at which the next server listened to the first poll that it answered. */
  readonly pauses: ReadonlyArray<number>
  /** For each subscription, the servers whose items it had, and `gap` where it was told of one. */
  readonly seen: ReadonlyArray<ReadonlyArray<number | "gap">>
  /** How subscriptions have ended that had to go on. */
  readonly ended: ReadonlyArray<unknown>
  readonly servers: ReadonlyArray<number>
}

const restarts = 3
const subscriptions = 50
/** 25 polls a second. */
const between = 40

/** Restarts a service, and tells what its callers saw. */
export const measure = ({ draw, gap, start, wire }: Options): Effect.Effect<Measured, unknown, Scope.Scope> =>
  Effect.gen(function*() {
    let server = yield* start(wire, 0)
    const { port } = server
    const servers = [server.number]
    const caller = yield* Reconnecting.make({ open: wires[wire].open(port) })
    // A request may be on its way when the connection ends. Nothing tells that it has not started.
    const service = Service.client(Retry.caller({ schedule: Schedule.recurs(2) })(caller))

    const failures: Array<unknown> = []
    const ended: Array<unknown> = []
    const seen: Array<Array<number | "gap">> = []
    let answers = { from: 0, first: yield* Deferred.make<number>() }
    let polls = 0
    /** Waits until a server has answered a poll, and has given an item to each subscription. */
    const arrived = Effect.gen(function*() {
      const at = yield* Deferred.await(answers.first)
      while (seen.some((items) => items.at(-1) !== server.number)) yield* Effect.sleep(5)
      return at
    })
    const expect = (number: number) =>
      Effect.map(Deferred.make<number>(), (first) => {
        answers = { from: number, first }
      })

    yield* expect(server.number)
    for (let index = 0; index < subscriptions; index++) {
      const items: Array<number | "gap"> = []
      seen.push(items)
      const stream = Reconnecting.resume(caller)(index % 2 === 0 ? service.feed() : service.events())
      const consume = Stream.runForEach(
        stream,
        (item) => Effect.sync(() => void items.push(Reconnecting.isGap(item) ? "gap" : item))
      )
      yield* Effect.forkScoped(Effect.onExit(consume, (exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit) && !Exit.hasInterrupts(exit)) ended.push(exit.cause)
        })))
    }
    const poll = Effect.matchEffect(service.poll(), {
      onFailure: (error) => Effect.sync(() => void failures.push(error)),
      onSuccess: (number) => {
        polls++
        return number === answers.from ? Deferred.succeed(answers.first, performance.now()) : Effect.void
      }
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.forkScoped(poll), Effect.sleep(between))))
    yield* arrived

    const pauses: Array<number> = []
    for (let restart = 0; restart < restarts; restart++) {
      // A call that runs keeps the old connection, which must hold up nothing else.
      const work = yield* Effect.forkScoped(service.work(), { startImmediately: true })
      yield* Effect.sleep(50 + draw() * 200)
      yield* server.stop
      yield* Effect.sleep(draw() * gap)
      server = yield* start(wire, port)
      const listens = performance.now()
      servers.push(server.number)
      yield* expect(server.number)
      pauses.push((yield* arrived) - listens)
      const done = yield* Effect.exit(Fiber.join(work))
      if (Exit.isFailure(done)) failures.push(done.cause)
    }
    return { failures, polls, pauses, seen, ended, servers }
  })
