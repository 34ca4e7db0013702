import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/http",
  test: "packages/node/test/NodeHttpServer.test.ts",
  mutants: [
    {
      name: "a-host-ends-while-others-wait-for-its-endpoint",
      promise: 19,
      test: "packages/node/test/HttpEndpoint.test.ts",
      title: "has its drain for what others have asked it for",
      find: `drained === undefined ? Effect.void :`,
      replace: `drained !== null ? Effect.void :`
    },
    {
      name: "a-client-that-never-reads-what-it-asked-behind-another-stays",
      promise: 18,
      title: "promise 18: callers suspend on a full outbox, and one that never reads behind",
      find: `response.socket === null || response.socket.writableLength > 0`,
      replace: `(response.socket?.writableLength ?? 0) > 0`
    },
    {
      name: "a-handler-that-outlives-its-client-has-no-place",
      promise: 17,
      title: "a request keeps its place among those at once",
      find: `fiber.addObserver(() => admission.release())`,
      replace: `admission.release()`
    },
    {
      name: "a-refusal-waits-for-the-end-of-an-endless-body",
      promise: 14,
      title: "a request with the transfer coding",
      find: `isWhole || isEndless(request) ||`,
      replace: `isWhole ||`
    },
    {
      name: "streams-over-http-hold-up-a-drain",
      promise: 19,
      test: "packages/node/test/restarting/http.test.ts",
      title: "promise 19: end of input drains: streams end first",
      find: `for (const hear of host.hearing) hear()`,
      replace: ``
    },
    {
      name: "who-comes-too-late-is-told-by-a-success",
      promise: 19,
      test: "packages/node/test/NodeHost.test.ts",
      title: "promise 19: end of input drains, on every route",
      find: `(isLate ? endpoint.refusing?.(text) : undefined) ??`,
      replace: ``
    }
  ]
} satisfies Mutants
