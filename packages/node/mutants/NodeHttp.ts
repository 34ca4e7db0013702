import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/http",
  test: "packages/node/test/NodeHttpServer.test.ts",
  mutants: [
    {
      name: "a-client-that-never-reads-what-it-asked-behind-another-stays",
      promise: 18,
      title: "promise 18: callers suspend on a full outbox, and one that never reads behind",
      find: `socket !== null && socket.writableLength === 0`,
      replace: `(socket?.writableLength ?? 0) === 0`
    },
    {
      name: "a-refusal-waits-for-the-end-of-an-endless-body",
      promise: 14,
      title: "a request with the transfer coding",
      find: `isWhole || isEndless(request) ||`,
      replace: `isWhole ||`
    }
  ]
} satisfies Mutants
