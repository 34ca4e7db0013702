import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/shared/RequestRules.ts",
  test: "packages/http/test/shared/RequestRules.test.ts",
  mutants: [
    {
      name: "a-page-may-call-a-server-on-its-machine",
      promise: 6,
      title: "foreign hosts and origins are refused",
      find: `refused === "Host" || (refused === "Origin" && cors?.admits(head.header("origin") ?? "") !== true)`,
      replace: `refused === "Host"`
    },
    {
      name: "a-transfer-coding-is-read-as-json",
      promise: 14,
      title: "a transfer coding that is not chunked is refused",
      find: `.toLowerCase() !== "chunked"`,
      replace: ` === ""`
    },
    {
      name: "the-charset-of-a-body-is-not-looked-at",
      promise: 14,
      test: "packages/node/test/badFrames/server.test.ts",
      title: "over HTTP, ",
      find: `MediaType.isUtf8(contentType)`,
      replace: `MediaType.isUtf8("")`
    },
    {
      name: "bytes-of-a-body-that-are-no-text-lose-their-kind",
      promise: 20,
      test: "packages/node/test/badFrames/server.test.ts",
      title: "over HTTP, ",
      find: `BadFrame.toText(BadFrame.ofBytes("InvalidUtf8", bytes.join()))`,
      replace: `taken`
    },
    {
      name: "a-stream-counts-as-a-request",
      promise: 17,
      title: "streams that stay have places of their own",
      find: `    this.#place = "streams"\n`,
      replace: `    this.#place = "requests"\n    this.#load.requests++\n`
    },
    {
      name: "a-body-that-does-not-arrive-keeps-its-room",
      promise: 22,
      title: "all bodies together stay within the budget",
      find: `this.#stopEviction ??= share.onEvict(() => this.#drop())`,
      replace: ``
    },
    {
      name: "a-body-that-has-arrived-gives-way",
      promise: 22,
      title: "a body that comes as a whole gives way to nobody",
      find: `if (bytes.size !== this.#announced) this`,
      replace: `this`
    },
    {
      name: "an-answer-that-nobody-reads-keeps-its-room",
      promise: 18,
      title: "of the answers that their clients have not read",
      find: `    this.#stopEviction = share.onEvict(end)\n`,
      replace: ``
    }
  ]
} satisfies Mutants
