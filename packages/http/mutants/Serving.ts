import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/internal/Serving.ts",
  test: "packages/node/test/NodeHttp.test.ts",
  mutants: [
    {
      name: "events-pile-up-for-who-does-not-read",
      promise: 18,
      find: `Queue.bounded<string, Cause.Done>(1)`,
      replace: `Queue.unbounded<string, Cause.Done>()`
    },
    {
      name: "a-body-that-was-given-up-keeps-its-place",
      promise: 8,
      find: `    this.#giveUpReading()\n    this.#admission.release()`,
      replace: `    this.#giveUpReading()`
    },
    {
      name: "a-refused-request-keeps-its-place",
      promise: 17,
      title: "a body that comes too slowly is 408",
      find: `    this.#admission.release()\n    this.#respond(Effect.succeed(refused(refusal)))`,
      replace: `    this.#respond(Effect.succeed(refused(refusal)))`
    },
    {
      name: "a-connection-ends-instead-of-being-refused",
      promise: 5,
      title: "a body that comes too slowly is 408",
      find: `Effect.uninterruptible(`,
      replace: `Effect.interruptible(`
    },
    {
      name: "a-small-body-has-two-limits",
      promise: 5,
      test: "packages/node/test/HttpRoute.test.ts",
      title: "is bounded by the limit of the route alone",
      find: `&& Context.get(this.#context, MaxBodySize) === undefined`,
      replace: ``
    }
  ]
} satisfies Mutants
