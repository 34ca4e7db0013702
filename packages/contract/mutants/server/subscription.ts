import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/server/subscription.ts",
  test: "packages/contract/test/subscription/Publishing.test.ts",
  mutants: [
    {
      name: "items-come-before-the-response",
      promise: 11,
      find: `          call.afterReply(\n`,
      replace: `          Effect.runFork(\n`
    },
    {
      name: "closed-streams-go-on",
      promise: 8,
      title: "is closed by its id, once, and then sends nothing more",
      find: `Effect.raceFirst(published(carrier, id, stream, call), Deferred.await(left))`,
      replace: `published(carrier, id, stream, call)`
    },
    {
      name: "streams-wait-for-nobody",
      promise: 18,
      test: "packages/contract/test/subscription/Streams.test.ts",
      title: "promise 18: callers suspend on a full outbox, and a slow consumer",
      find: `Effect.mapError(partialResult(items), Responses.internalError)`,
      replace: `Effect.asVoid(Effect.forkDetach(partialResult(items)))`
    },
    {
      name: "failures-are-told-in-full",
      promise: 15,
      title: "tells of a failure, and of no more",
      find: `error instanceof Responses.ErrorResponse ? error : Responses.internalError()`,
      replace:
        `error instanceof Responses.ErrorResponse ? { ...error, message: String(error.cause) } : Responses.internalError()`
    },
    {
      name: "contracts-share-ids",
      promise: 11,
      title: "has an id that no other subscription of the connection has",
      find: `const ours = connectionOf(connection)`,
      replace: `const ours = { last: 0, open: 0 }`
    },
    {
      name: "subscriptions-hold-up-a-drain",
      promise: 19,
      test: "packages/contract/test/subscription/Draining.test.ts",
      title: "promise 19: end of input drains: streams end first",
      find: `Effect.flatMap(draining, (error) => Effect.fail(error))`,
      replace: `Effect.andThen(draining, Effect.never)`
    }
  ]
} satisfies Mutants
