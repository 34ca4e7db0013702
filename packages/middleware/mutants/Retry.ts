import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/middleware/src/Retry.ts",
  test: "packages/middleware/test/Retry.test.ts",
  mutants: [
    {
      name: "what-is-not-idempotent-is-sent-again",
      promise: 9,
      find: `(idempotent || isUnsent(error)) && `,
      replace: ``
    },
    {
      name: "what-was-sent-is-sent-again",
      promise: 9,
      find: `(error._tag === "Disconnected" && !error.sent)`,
      replace: `error._tag === "Disconnected"`
    },
    {
      name: "what-gave-partial-results-gives-them-twice",
      promise: 9,
      title: "does not make a request again that has had a partial result",
      find: `!begun && mayPass`,
      replace: `mayPass`
    },
    {
      name: "failed-tries-leave-something-behind",
      promise: 8,
      title: "leaves to run after its reply what the last try has left",
      find: `const attempt = once(handler)`,
      replace: `const attempt = handler`
    },
    {
      name: "what-was-not-sent-is-given-up",
      promise: 9,
      find: `error._tag === "Overloaded" || (error._tag === "Disconnected" && !error.sent)`,
      replace: `error._tag === "Overloaded"`
    },
    {
      name: "a-batch-half-sent-is-sent-again",
      promise: 9,
      title: "of which a member was sent: once",
      find: ` && errors.every(isUnsent)`,
      replace: ``
    }
  ]
} satisfies Mutants
