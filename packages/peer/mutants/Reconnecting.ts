import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/Reconnecting.ts",
  test: "packages/peer/test/Attempts.test.ts",
  mutants: [
    {
      name: "calls-go-out-before-on-connect",
      promise: 13,
      title: "runs on each connection before any call goes out",
      find: `    attached = peer
`,
      replace: `    attached = peer
    enter(peer)
`
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
      find: `Effect.raceFirst(onConnect(peer), lost(peer))`,
      replace: `onConnect(peer)`
    },
    {
      name: "calls-go-to-the-connection-that-is-lost",
      promise: 9,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "promise 9: closing ends every call with Disconnected: and a retry makes it again",
      find: `    current = undefined
`,
      replace: ``
    },
    {
      name: "who-waits-for-a-connection-never-hears-of-the-end",
      promise: 9,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "promise 9: closing ends every call with Disconnected: closing the Scope",
      find: `    room.close(closed)
`,
      replace: ``
    },
    {
      name: "what-was-read-before-the-end-is-not-answered",
      promise: 19,
      find: `      yield* peer.closed
`,
      replace: ``
    },
    {
      name: "a-pause-ends-with-its-connection",
      promise: 11,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "a pause holds for later connections",
      find: `for (const pause of pauses) pause.goOn = peer.pause()`,
      replace: ``
    },
    {
      name: "a-broken-schedule-leaves-everyone-waiting",
      promise: 9,
      title: "a schedule or a `while` that dies ends it too",
      find: `end(Exit.isFailure(exit) ? reasonOf(exit.cause) : last)`,
      replace: `exit`
    },
    {
      name: "who-waited-closes-it-and-it-stays-connected",
      promise: 9,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "promise 9: closing ends every call with Disconnected: where a call that has waited closes the Scope",
      find: `    if (closed !== undefined) return
    current = peer
`,
      replace: `    current = peer
`
    },
    {
      name: "who-called-again-is-forgotten",
      promise: 9,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "calls that are made without a connection wait for it",
      find: `    // Who was admitted and has called again.
    room.admit(peer)
`,
      replace: ``
    },
    {
      name: "a-stream-ends-while-the-schedule-decides",
      promise: 9,
      test: "packages/peer/test/Resuming.test.ts",
      title: "goes on where the schedule takes its time to decide",
      find: `Effect.raceFirst(Effect.orElseSucceed(reconnecting.connected, () => 0), Effect.succeed(0))`,
      replace: `Effect.map(reconnecting.state, (state) => state._tag === "Connected" ? state.connection : 0)`
    }
  ]
} satisfies Mutants
