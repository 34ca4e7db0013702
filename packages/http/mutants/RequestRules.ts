import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/RequestRules.ts",
  test: "packages/http/test/RequestRules.test.ts",
  mutants: [
    {
      name: "a-page-may-call-a-server-on-its-machine",
      promise: 6,
      title: "foreign hosts and origins are refused",
      find: `if (refused !== undefined) return`,
      replace: `if (refused === "Host") return`
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
      find: `this.#stopEviction ??= share.onEvict(this.#drop)`,
      replace: ``
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
