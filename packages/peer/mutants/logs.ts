import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src",
  test: "packages/peer/test/regression/logs.test.ts",
  mutants: [
    {
      name: "log-shows-what-a-client-sent",
      promise: 15,
      find: "Effect.logWarning(Excerpt.line(message, longestLine), Excerpt.cause(cause))",
      replace: "Effect.logWarning(message, cause)",
      title: "a line of a log is quoted"
    },
    {
      name: "cause-of-a-handler-is-logged-as-it-was-sent",
      promise: 15,
      find: "Effect.logWarning(Excerpt.line(message, longestLine), Excerpt.cause(cause))",
      replace: "Effect.logWarning(Excerpt.line(message, longestLine), cause)",
      title: "a cause is printed without what drives a terminal"
    },
    {
      name: "dropped-notification-is-a-response",
      promise: 14,
      test: "packages/peer/test/Digits.test.ts",
      title: "of a notification that would exceed the budget are dropped",
      find: "error.method === undefined ? this.#drop",
      replace: "error.rule !== undefined ? this.#drop"
    },
    {
      name: "response-that-is-no-json-leaves-its-call-waiting",
      promise: 7,
      test: "packages/peer/test/badFrames/peer.test.ts",
      find: `error._tag === "ParseError" && this.#takeUnread(`,
      replace: `error._tag === "ParseError" && error.kind === "notification" && this.#takeUnread(`
    },
    {
      name: "bad-frame-ends-a-call-of-another-id",
      promise: 7,
      test: "packages/peer/test/badFrames/peer.test.ts",
      find: `kind === "response" && id !== undefined ? this.#ownedBy(from, valueOf(id))`,
      replace: `id !== undefined ? this.#ownedBy(from, 1)`
    },
    {
      name: "a-bad-response-is-answered",
      promise: 7,
      test: "packages/node/test/badFrames/client.test.ts",
      find: `if (entry !== undefined) ours.refuseCall(entry, rule, excerpt)`,
      replace: `if (entry !== undefined) ours.refuseCall(entry, rule, excerpt), from.settle('{"id":null}')`
    }
  ]
} satisfies Mutants
