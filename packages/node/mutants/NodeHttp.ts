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
    },
    {
      name: "a-body-that-a-parser-has-read-is-waited-for",
      promise: 22,
      test: "packages/node/test/http/requestListener.test.ts",
      title: "is asked for in the log where the host has left nothing of it",
      find: `if (isRead) throw new Error(lost)`,
      replace: `if (isRead) return`
    },
    {
      name: "the-digits-of-a-body-that-was-read-are-lost",
      promise: 3,
      test: "packages/node/test/http/requestListener.test.ts",
      title: "keeps its digits in `rawBody`",
      find: `rawBody === undefined ? body : rawBody`,
      replace: `body`
    },
    {
      name: "a-paused-request-of-a-host-is-waited-for",
      promise: 22,
      test: "packages/node/test/http/requestListener.test.ts",
      title: "is read where it was paused",
      find: `this.arrived()) request.resume()`,
      replace: `this.arrived())`
    },
    {
      name: "an-answer-inside-a-host-waits-beyond-the-end-of-its-connection",
      promise: 19,
      test: "packages/node/test/http/requestListener.test.ts",
      title: "is answered to a client that ends its side",
      find: `socket.prependListener("end", this.#flush)`,
      replace: ``
    }
  ]
} satisfies Mutants
