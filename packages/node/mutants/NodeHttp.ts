import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/httpServer.ts",
  test: "packages/node/test/NodeHttpServer.test.ts",
  mutants: [
    {
      name: "a-client-of-node-that-goes-away-interrupts-nothing",
      promise: 8,
      test: "packages/node/test/NodeHttp.test.ts",
      find: `    fiber.interruptUnsafe()\n`,
      replace: ``
    },
    {
      name: "a-handler-sends-without-waiting-for-the-client",
      promise: 18,
      test: "packages/node/test/NodeHttp.test.ts",
      find: `if (isOver(response) || response.write(text)) return Effect.void`,
      replace: `if (isOver(response) || response.write(text) || true) return Effect.void`
    },
    {
      name: "a-client-that-never-reads-its-answer-stays",
      promise: 18,
      find: `  if (response.socket === null || response.socket.writableLength > 0) watch(host, response)\n`,
      replace: ``
    },
    {
      name: "a-client-that-never-reads-what-it-asked-behind-another-stays",
      promise: 18,
      title: "promise 18: callers suspend on a full outbox, and one that never reads behind",
      find: `response.socket === null || response.socket.writableLength > 0`,
      replace: `(response.socket?.writableLength ?? 0) > 0`
    },
    {
      name: "connections-on-which-nothing-is-asked-hold-up-the-end",
      promise: 19,
      title: "connections on which nothing is asked",
      find: `      if (host.open === 0) host.onQuiet()\n`,
      replace: ``
    },
    {
      name: "the-connection-of-a-stream-holds-up-the-end",
      promise: 19,
      title: "a stream that ends does not",
      find: `    if (--host.open === 0) host.onQuiet()\n`,
      replace: `    host.open--\n`
    },
    {
      name: "a-handler-that-outlives-its-client-has-no-place",
      promise: 17,
      title: "a request keeps its place among those at once",
      find: `fiber.addObserver(() => visit.leave())`,
      replace: `visit.leave()`
    },
    {
      name: "what-runs-is-cut-off-when-the-server-ends",
      promise: 19,
      find: `Effect.timeoutOption(closed, host.endpoint.limits.drain)`,
      replace: `Effect.timeoutOption(closed, 0)`
    },
    {
      name: "what-comes-behind-the-end-of-a-connection-runs",
      promise: 14,
      title: "what comes behind a request that ends its connection",
      find: `  if (!isWhole) ending.add(request.socket)\n`,
      replace: ``
    },
    {
      name: "streams-that-stay-hold-up-the-end",
      promise: 19,
      test: "packages/node/test/HttpEndpoint.test.ts",
      title: "promise 19: end of input drains, and streams that stay end",
      find: `    for (const answering of [...host.staying]) answering.leave()\n`,
      replace: ``
    },
    {
      name: "the-head-of-a-stream-waits-for-its-first-piece",
      promise: 11,
      test: "packages/node/test/HttpEndpoint.test.ts",
      title: "a stream may start late",
      find: `      queueMicrotask(() => isOver(response) || response.flushHeaders())\n`,
      replace: ``
    },
    {
      name: "who-writes-for-a-client-that-has-gone-waits-for-ever",
      promise: 18,
      test: "packages/node/test/HttpEndpoint.test.ts",
      title: "who writes from elsewhere",
      find: `response.on("close", end)`,
      replace: ``
    },
    {
      name: "what-stays-has-no-last-word",
      promise: 19,
      test: "packages/node/test/HttpEndpoint.test.ts",
      title: "gets to say it on what stays",
      find: `host.endpoint.closing ?? Effect.void`,
      replace: `Effect.void`
    }
  ]
} satisfies Mutants
