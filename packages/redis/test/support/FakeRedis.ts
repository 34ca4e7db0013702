/** A `Redis` whose connections do what a test says, in the time of the test. */
import { Context, Deferred, Effect, type Scope } from "effect"
import * as Redis from "effect/persistence/Redis"

export interface Connection {
  /** The commands that were sent, except the greeting. */
  readonly sent: Array<ReadonlyArray<string>>
  isOpen: boolean
  /** Answers the oldest command. */
  readonly answer: (reply: unknown) => void
  /** Refuses the oldest command, as Redis does. */
  readonly refuse: (message: string) => void
  /** Refuses all commands in one read: all replies have come before anything goes on that waits for one. */
  readonly refuseAll: (message: string) => void
  /** Breaks the connection: what it owes fails. */
  readonly cut: () => void
}

export interface FakeRedis {
  readonly context: Context.Context<Redis.Redis>
  readonly connections: Array<Connection>
  /** Why no connection can be opened. */
  refusal: string | undefined
  /** Has openings wait, until the function is called that this gives. */
  readonly hang: () => () => void
}

const failed = (message: string) => new Redis.RedisError({ cause: new Error(message) })

export const make: Effect.Effect<FakeRedis, never, Scope.Scope> = Effect.gen(function*() {
  const connections: Array<Connection> = []
  const fake: { refusal: string | undefined } = { refusal: undefined }
  let gate = Deferred.makeUnsafe<void>()
  const release = () => void Deferred.doneUnsafe(gate, Effect.void)
  const hang = () => {
    gate = Deferred.makeUnsafe()
    return release
  }
  release()
  const open = Effect.andThen(
    Effect.suspend(() => Deferred.await(gate)),
    Effect.suspend(() => {
      if (fake.refusal !== undefined) return Effect.fail(failed(fake.refusal))
      const owed: Array<Deferred.Deferred<unknown, Redis.RedisError>> = []
      const next = () => owed.shift() ?? Deferred.makeUnsafe<unknown, Redis.RedisError>()
      const id = String(connections.length + 1)
      const connection: Connection = {
        sent: [],
        isOpen: true,
        answer: (reply) => void Deferred.doneUnsafe(next(), Effect.succeed(reply)),
        refuse: (message) => void Deferred.doneUnsafe(next(), Effect.fail(failed(message))),
        refuseAll: (message) => {
          const refused = Effect.andThen(Effect.yieldNow, Effect.fail(failed(message)))
          for (const one of owed.splice(0)) Deferred.doneUnsafe(one, refused)
        },
        cut: () => {
          connection.isOpen = false
          for (const one of owed.splice(0)) Deferred.doneUnsafe(one, Effect.fail(failed("Socket closed unexpectedly")))
        }
      }
      connections.push(connection)
      const greeting = (command: string, args: ReadonlyArray<string>): unknown => {
        if (command === "CLIENT" && args[0] === "ID") return id
        if (command === "INFO") return "run_id:abc\r\nuptime_in_seconds:1000\r\n"
        if (command === "TIME") return ["2000", "0"]
        return command === "SCRIPT" ? "digest" : undefined
      }
      const send = (command: string, ...args: ReadonlyArray<string>) =>
        Effect.suspend(() => {
          if (!connection.isOpen) return Effect.andThen(Effect.yieldNow, Effect.fail(failed("The client is closed")))
          const reply = greeting(command, args)
          if (reply !== undefined) return Effect.succeed(reply)
          connection.sent.push([command, ...args])
          if (command === "CLIENT") return Effect.succeed(1)
          const one = Deferred.makeUnsafe<unknown, Redis.RedisError>()
          owed.push(one)
          return Deferred.await(one)
        })
      return Effect.succeed({
        // The sender of a command knows the type of its reply.
        send: send as Redis.Connection["send"],
        close: Effect.sync(connection.cut)
      })
    })
  )
  const redis = yield* Redis.make({
    send: () => Effect.fail(failed("the shared connection is not used")),
    subscribe: () => Effect.succeed(Effect.never),
    connect: open,
    pool: {}
  })
  yield* Effect.addFinalizer(() => Effect.sync(release))
  return Object.assign(fake, { connections, hang, context: Context.make(Redis.Redis, redis) })
})

export { settled } from "../../../mesh/test/support/nodes.ts"
