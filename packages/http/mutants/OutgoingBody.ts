import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/internal/server",
  test: "packages/http/test/server/OutgoingBody.test.ts",
  mutants: [
    {
      name: "an-answer-counts-no-longer-when-its-host-has-its-last-piece",
      promise: 18,
      title: "counts a large text until the host has taken all of it",
      find: `      if (this.#taken < bytes.length) return Effect.succeed([this.#cut(bytes)])
`,
      replace: `      if (this.#taken + piece >= bytes.length) this.#release(bytes)
      if (this.#taken < bytes.length) return Effect.succeed([this.#cut(bytes)])
`
    },
    {
      name: "who-reads-slowly-counts-as-one-who-does-not-read",
      promise: 18,
      title: "breaks off where the budget is spent and the host has taken nothing for a while",
      find: `    this.#reader?.moves()
`,
      replace: ``
    },
    {
      name: "a-host-that-waits-for-its-client-hears-of-no-end",
      promise: 18,
      title: "breaks off where the budget is spent and the host has taken nothing for a while",
      find: `    this.#host?.interruptUnsafe()
`,
      replace: ``
    },
    {
      name: "a-body-that-is-closed-counts-again",
      promise: 8,
      find: `bytes.length <= piece || this.#pieces.state._tag !== "Open"`,
      replace: `bytes.length <= piece`
    },
    {
      name: "an-interrupted-writer-keeps-its-room",
      promise: 8,
      find: `Exit.isFailure(exit) || !exit.value`,
      replace: `Exit.isSuccess(exit) && !exit.value`
    },
    {
      name: "a-whole-answer-counts-nothing",
      promise: 18,
      test: "packages/node/test/regression/answers.test.ts",
      title: "ends the heaviest where those that are not read spend the budget",
      find: `bytes.length > OutgoingBody.piece`,
      replace: `bytes.length > Infinity`
    }
  ]
} satisfies Mutants
