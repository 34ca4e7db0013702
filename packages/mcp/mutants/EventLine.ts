import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/httpClient/EventLine.ts",
  test: "packages/mcp/test/http-client/resuming.test.ts",
  mutants: [
    {
      name: "a-server-says-in-vain-when-to-come-back",
      promise: 7,
      find: `isFresh ? retry ?? delay : Math.max(retry ?? 0, delay)`,
      replace: `delay`,
      title: "waits exactly as long as the server says"
    },
    {
      name: "a-stream-is-taken-up-from-its-beginning",
      promise: 7,
      find: `place.id === undefined ? accept : { ...accept, "last-event-id": inBytes(place.id) }`,
      replace: `accept`,
      title: "is taken up as often as it ends"
    },
    {
      name: "a-fault-of-the-server-loses-the-call",
      promise: 7,
      find: `status >= 500 || status === 408`,
      replace: `status === 408`,
      title: "waits longer each time while the server has faults"
    },
    {
      name: "the-waits-never-begin-anew",
      promise: 7,
      find: `if (isFresh) step = yield* Schedule.toStep(schedule)`,
      replace: ``,
      title: "begins its waits anew with each stream that gave something"
    },
    {
      name: "a-call-that-ended-is-resumed",
      promise: 8,
      find: `while (!isOver()) {`,
      replace: `while (true) {`,
      title: "fails the call with Disconnected where another session has begun"
    }
  ]
} satisfies Mutants
