import type { Mutants } from "../../../tools/mutants/Mutant.ts"

/** The clause of the promise for calls that the other side has refused or ended. */
const clause =
  "promise 9: closing ends every call with Disconnected: a call is retried only when it was not sent, or the other side said that it did not start it, or its method is idempotent"

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
      name: "what-the-other-side-did-not-start-is-given-up",
      promise: 9,
      title: clause,
      find: `(error._tag === "Disconnected" && !error.sent)`,
      replace: `(error._tag === "Disconnected" && !error.sent && error.reason._tag !== "ShuttingDown")`
    },
    {
      name: "what-the-other-side-has-ended-is-made-again-whatever-it-is",
      promise: 9,
      title: clause,
      find: `(idempotent || isUnsent(error)) && isTransient(error, overloadCodes)`,
      replace: `(idempotent || isUnsent(error) || error._tag === "RemoteError") && isTransient(error, overloadCodes)`
    },
    {
      name: "an-idempotent-call-that-a-shutdown-has-ended-is-lost",
      promise: 9,
      title: clause,
      find: `|| isShutDown(error, { shutDownCode: error.code })`,
      replace: ``
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
