import type { Mutants } from "../../../tools/mutants/Mutant.ts"

/** One connection after the other, the calls that wait for the next one, and streams that are run again. */
/** The clause of promise 9 for calls that were refused or ended. */
const clause =
  "promise 9: closing ends every call with Disconnected: a call is retried only when it was not sent, or the other side said that it did not start it, or its method is idempotent"

export default {
  file: "packages/peer/src",
  test: "packages/peer/test/Attempts.test.ts",
  mutants: [
    {
      name: "calls-go-out-before-on-connect",
      promise: 13,
      title: "runs on each connection before any call goes out",
      find: `if (onConnect !== undefined) yield* Effect.raceFirst(`,
      replace:
        `if (onConnect !== undefined) yield* Effect.forkScoped(onConnect(opened)); if (opened === undefined) yield* Effect.raceFirst(`
    },
    {
      name: "a-listener-that-throws-ends-the-reconnecting",
      promise: 9,
      test: "packages/peer/test/Draining.test.ts",
      title: "goes on where the `moved` of a listener throws",
      find: `left: () => movers.forEach(tell)`,
      replace: `left: () => movers.forEach(({ moved }) => moved())`
    },
    {
      name: "a-listener-is-told-before-its-connection-is-left",
      promise: 9,
      test: "packages/peer/test/Draining.test.ts",
      title: "makes the calls of a `moved` on the next one",
      find: `current = undefined usable = Deferred.makeUnsafe() old.left()`,
      replace: `old.left(); current = undefined; usable = Deferred.makeUnsafe()`
    },
    {
      name: "a-connection-that-ends-at-once-is-a-busy-loop",
      promise: 21,
      title: "a connection that ends at once is no busy loop",
      find: `lived >= steady`,
      replace: `lived >= 0`
    },
    {
      name: "an-attempt-takes-for-ever",
      promise: 9,
      title: "an attempt that takes too long has failed",
      find: `duration: limits.handshake`,
      replace: `duration: Duration.infinity`
    },
    {
      name: "on-connect-outlives-its-connection",
      promise: 9,
      title: "does not outlive its connection",
      find: `Effect.raceFirst(onConnect(opened), Effect.andThen(opened.start, lost))`,
      replace: `Effect.andThen(opened.start, onConnect(opened))`
    },
    {
      name: "calls-go-to-the-connection-that-is-lost",
      promise: 9,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "promise 9: closing ends every call with Disconnected: and a retry makes it again",
      find: `current = undefined usable`,
      replace: `usable`
    },
    {
      name: "a-connection-that-drains-outlives-its-caller",
      promise: 9,
      test: "packages/peer/test/Draining.test.ts",
      title: "releases it, also where the caller ends before the draining has begun",
      find: `owner, { startImmediately: true }`,
      replace: `owner`
    },
    {
      name: "subscriptions-listen-to-a-connection-that-was-left",
      promise: 9,
      test: "packages/contract/test/subscription/Draining.test.ts",
      title: "lets a subscription that opens hear the next server",
      find: `old.left()`,
      replace: ``
    },
    {
      name: "a-subscription-moves-without-its-listener",
      promise: 9,
      test: "packages/contract/test/subscription/Draining.test.ts",
      title: "refuses a subscription at once that has not opened",
      find: `isRefused && options?.pinned !== true`,
      replace: `isRefused`
    },
    {
      name: "nobody-hears-that-no-connection-follows",
      promise: 9,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "promise 9: closing ends every call with Disconnected: closing the Scope",
      find: `delayed.close(closed)`,
      replace: ``
    },
    {
      name: "what-was-read-before-the-end-is-not-answered",
      promise: 19,
      find:
        `if (!isLeft && Option.isSome(yield* Effect.timeoutOption(ended, Connection.patience))) return { delay } return { delay, drained: Effect.raceFirst(ended, Effect.sleep(limits.drain)) }`,
      replace: `return { delay }`
    },
    {
      name: "a-pause-ends-with-its-connection",
      promise: 11,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "a pause holds for later connections",
      find: `for (const pause of this.#pauses) pause.set(connection, connection.pause())`,
      replace: ``
    },
    {
      name: "a-broken-schedule-leaves-everyone-waiting",
      promise: 9,
      title: "a schedule or a `while` that dies ends it too",
      find: `end(Exit.isFailure(exit) ? Connection.reasonOf(exit.cause) : delayed.last ?? none)`,
      replace: `exit`
    },
    {
      name: "a-call-that-waited-closes-it-and-it-stays-connected",
      promise: 9,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "promise 9: closing ends every call with Disconnected: where a call that has waited closes the Scope",
      find: `if (closed !== undefined) return current = peer`,
      replace: `current = peer`
    },
    {
      name: "a-call-that-is-made-again-at-once-is-forgotten",
      promise: 22,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "calls that are made without a connection wait for it",
      find: `// Who was admitted and has called again. delayed.admit(peer)`,
      replace: ``
    },
    {
      name: "a-stream-ends-while-the-schedule-decides",
      promise: 9,
      test: "packages/peer/test/Resuming.test.ts",
      title: "goes on where the schedule takes its time to decide",
      find: `Effect.raceFirst(Effect.orElseSucceed(reconnecting.connected, () => 0), Effect.succeed(0))`,
      replace: `Effect.map(reconnecting.state, (state) => state._tag === "Connected" ? state.connection : 0)`
    },
    {
      name: "nobody-hears-of-what-was-missed",
      promise: 9,
      test: "packages/peer/test/Resuming.test.ts",
      title: "has a Gap where a connection was lost",
      find: `gaps = [gap(connection, error)]`,
      replace: ``
    },
    {
      name: "a-simulated-consumer-hears-of-no-gap",
      promise: 9,
      test: "packages/conformance/test/simulation/Restarts.test.ts",
      title: "costs a reconnecting caller no call that may be made twice",
      find: `Stream.fromIterable(gaps)`,
      replace: `Stream.empty`
    },
    {
      name: "a-pause-that-ends-late-holds-an-old-connection",
      promise: 22,
      test: "packages/conformance/test/regression/histories.test.ts",
      title: "history: ",
      find: `pauses.attach(attached = opened)`,
      replace: `pauses.attach(opened); yield* Effect.addFinalizer(() => Effect.sync(() => pauses.detach(opened)))`
    },
    {
      name: "a-restart-costs-as-long-again-as-it-takes",
      promise: 9,
      test: "packages/peer/test/Draining.test.ts",
      title: "promise 9: closing ends every call with Disconnected: one that was refused pauses",
      find: `reason._tag === "ShuttingDown" && options.schedule === undefined`,
      replace: `false`
    },
    {
      name: "the-next-connection-waits-for-every-handler",
      promise: 19,
      test: "packages/peer/test/Attempts.test.ts",
      title: "promise 19: end of input drains: what was read is answered, and holds up",
      find: `Effect.timeoutOption(ended, Connection.patience)`,
      replace: `Effect.asSome(ended)`
    },
    {
      name: "a-stream-ends-with-a-server-that-shuts-down",
      promise: 9,
      test: "packages/peer/test/Resuming.test.ts",
      title: "goes on after a server that shut down in order",
      find: `isShutDown(error, dialect) || isRefusedUnstarted(error) ?`,
      replace: `error === announced ?`
    },
    {
      name: "a-stream-that-cannot-go-on-is-run-for-ever",
      promise: 9,
      test: "packages/peer/test/Resuming.test.ts",
      title: "is not run again where its connection is still there",
      find: `now !== 0 && now === begun`,
      replace: `begun < 0`
    },
    {
      name: "an-interrupted-call-still-waits-for-a-connection",
      promise: 8,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "calls that wait for a connection are bounded in number",
      find: `return Effect.sync(() => this.#leave(entry))`,
      replace: `return Effect.void`
    },
    {
      name: "waiting-for-a-connection-costs-no-time",
      promise: 8,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "the time that a call waits for a connection is its own",
      find: `left: Math.max(0, due - timers.now())`,
      replace: `left: 30_000`
    },
    {
      name: "any-number-waits-for-a-connection",
      promise: 9,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "calls that wait for a connection are bounded in number",
      find: `this.#size + size > this.#limit`,
      replace: `size > this.#limit`
    },
    {
      name: "the-young-go-out-first",
      promise: 13,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "calls that are made without a connection wait for it, and go out in the order",
      find: `for (const entry of [...this.#entries]) this.#resume(entry, Exit.succeed(`,
      replace: `for (const entry of [...this.#entries].reverse()) this.#resume(entry, Exit.succeed(`
    },
    {
      name: "a-call-that-is-made-again-at-once-holds-up-all",
      promise: 12,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "who calls again at once",
      find: `for (const entry of [...this.#entries]) this.#resume(entry, Exit.succeed(`,
      replace: `for (const entry of this.#entries) this.#resume(entry, Exit.succeed(`
    },
    {
      name: "a-draining-connection-takes-all-further-calls",
      promise: 9,
      test: "packages/peer/test/Draining.test.ts",
      title: "promise 9: closing ends every call with Disconnected: it makes a call again",
      find: `if (isRefused || isShutDown(error, dialect)) leave()`,
      replace: ``
    },
    {
      name: "calls-on-a-draining-connection-are-cut",
      promise: 19,
      test: "packages/peer/test/Draining.test.ts",
      title: "promise 9: closing ends every call with Disconnected: it makes a call again",
      find: `drained: Effect.raceFirst(ended, Effect.sleep(limits.drain))`,
      replace: `drained: Effect.void`
    },
    {
      name: "an-error-of-the-application-ends-a-connection",
      promise: 7,
      test: "packages/peer/test/Draining.test.ts",
      title: clause,
      find: `Object.keys(data).length === 1`,
      replace: `true`
    },
    {
      name: "any-error-with-the-code-of-a-shutdown-is-one",
      promise: 9,
      test: "packages/peer/test/Draining.test.ts",
      title: clause,
      find: `startedIn(error, shutDownCode) === true`,
      replace: `error.code === shutDownCode`
    },
    {
      name: "any-error-with-the-words-of-a-shutdown-has-not-started",
      promise: 9,
      test: "packages/peer/test/Draining.test.ts",
      title: clause,
      find: `startedIn(error, shutDownCode) === false`,
      replace: `error.code === shutDownCode && error.message === "Shutting down"`
    },
    {
      name: "a-shutdown-has-one-code-in-all-dialects",
      promise: 19,
      test: "packages/peer/test/Draining.test.ts",
      title: "is left by its caller at once, which knows it by the code of its dialect",
      find: `error instanceof RemoteError && startedIn(error, shutDownCode)`,
      replace: `error instanceof RemoteError && startedIn(error, Dialect.jsonRpc.shutDownCode)`
    },
    {
      name: "a-handler-that-ends-for-a-shutdown-says-it-in-json-rpc",
      promise: 19,
      test: "packages/peer/test/Draining.test.ts",
      title: "answers what it ends with the code of its dialect",
      find: `isShuttingDown(error) ? dialect.shutDownCode : error.code`,
      replace: `error.code`
    },
    {
      name: "handlers-do-not-hear-of-the-shutdown",
      promise: 19,
      test: "packages/peer/test/Draining.test.ts",
      title: "tells handlers at once",
      find: `hearing?.forEach((hear) => hear())`,
      replace: ``
    },
    {
      name: "a-call-that-waits-is-refused-without-a-mark",
      promise: 19,
      test: "packages/peer/test/Draining.test.ts",
      title: clause,
      find: `this.#queue.remove(({ id }) => id !== undefined)) this.#answer(call, notStartedError(dialect))`,
      replace: `this.#queue.remove(({ id }) => id !== undefined)) this.#answer(call, shutDownError(dialect))`
    },
    {
      name: "a-connection-that-ends-for-a-cause-drains",
      promise: 19,
      test: "packages/peer/test/Draining.test.ts",
      title: "does not drain: neither handlers nor a write that nobody takes hold it up, where ",
      find: `if (this.#drain !== undefined) this.host.timers.set(new Timer(() => this.#close()), grace)`,
      replace:
        `if (this.#drain !== undefined && !isDraining) this.host.timers.set(new Timer(() => this.#close()), grace)`
    },
    {
      name: "a-reader-that-takes-nothing-is-waited-for-once-more",
      promise: 18,
      test: "packages/peer/test/Draining.test.ts",
      title: "is cut off where the other side takes nothing",
      find: `isUnreadable ? abort ?? close : close`,
      replace: `isUnreadable ? close : close`
    }
  ]
} satisfies Mutants
