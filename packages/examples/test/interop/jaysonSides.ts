/** The methods that `jayson` calls and serves, over each of its wires. */
import { Effect, Queue } from "effect"
import jayson from "jayson"

type Replied = (failure: unknown, reply?: unknown) => void

/** The arguments of its callback. */
export const replyTo = (ask: (replied: Replied) => void): Effect.Effect<unknown> =>
  Effect.callback<unknown>((resume) =>
    ask((failure, reply) => resume(failure ? Effect.die(failure) : Effect.succeed(reply)))
  )

type Done = (error?: jayson.JSONRPCError | null, result?: unknown) => void

/** Its server of `sum`, of `fail`, of `never`, and of `note`, which puts its params into the queue. */
export const serverOf = (noted: Queue.Queue<unknown>): jayson.Server =>
  new jayson.Server({
    sum: (numbers: ReadonlyArray<number>, done: Done) => done(null, numbers.reduce((sum, number) => sum + number, 0)),
    fail: (_: unknown, done: Done) =>
      done({ code: 1234, message: "no money", data: { balance: 5 } } as jayson.JSONRPCError),
    note: (params: unknown, done: Done) => {
      Queue.offerUnsafe(noted, params)
      done(null, null)
    },
    never: () => {}
  })
