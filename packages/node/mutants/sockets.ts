import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/sockets.ts",
  test: "packages/node/test/connecting.test.ts",
  mutants: [
    {
      name: "socket-connects-unheard",
      promise: 9,
      find: `const opened = opening(socket, secure === undefined ? "connect" : "secureConnect")`,
      replace:
        `const opened = Effect.suspend(() => opening(socket, secure === undefined ? "connect" : "secureConnect"))`,
      title: "misses nothing when its fiber gives way"
    },
    {
      name: "socket-left-open-by-an-interruption",
      promise: 21,
      find: `  const transport = yield* transportOf(bytes, options)\n  isConnected = true\n  return transport`,
      replace: `  isConnected = true\n  return yield* transportOf(bytes, options)`,
      title: "leaves nothing behind when it is interrupted"
    },
    {
      name: "half-handshakes-are-half-open",
      promise: 21,
      find: `tls.createServer({ ...secure.options, noDelay: true,`,
      replace: `tls.createServer({ ...secure.options, noDelay: true, allowHalfOpen: true,`,
      test: "packages/node/test/tls.test.ts",
      title: "a client that leaves during the handshake"
    }
  ]
} satisfies Mutants
