import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/internal",
  test: "packages/node/test/NodeHttp.test.ts",
  mutants: [
    {
      name: "events-pile-up-for-who-does-not-read",
      promise: 18,
      find: `Queue.bounded<Uint8Array, Cause.Done>(1)`,
      replace: `Queue.unbounded<Uint8Array, Cause.Done>()`
    },
    {
      name: "what-was-given-up-keeps-its-place",
      promise: 8,
      find: `      admission.release()\n      if (Exit`,
      replace: `      if (Exit`
    },
    {
      name: "a-body-never-comes-too-slowly",
      promise: 8,
      title: "a body that comes too slowly is 408",
      find: `    for (const request of this.#begun) request.wait()\n`,
      replace: ``
    },
    {
      name: "a-small-body-has-two-limits",
      promise: 5,
      test: "packages/node/test/HttpRoute.test.ts",
      title: "is bounded by the limit of the route alone",
      find: `Effect.provideService(arrayBuffer, MaxBodySize, maxBodySize)`,
      replace: `arrayBuffer`
    },
    {
      name: "a-body-is-read-to-its-end-whatever-its-host-says-of-it",
      promise: 5,
      test: "packages/http/test/HttpRoute.test.ts",
      find: `if (done || refusal !== undefined) return refusal`,
      replace: `if (done) return refusal`
    },
    {
      name: "a-request-whose-endpoint-throws-keeps-its-place",
      promise: 8,
      test: "packages/http/test/HttpRoute.test.ts",
      title: "gives the place of a request back whose endpoint throws",
      find: `Effect.suspend(() => authorize(this.#head))`,
      replace: `authorize(this.#head)`
    },
    {
      name: "the-signal-of-a-request-interrupts-nothing",
      promise: 8,
      title: "promise 8: an interrupted or timed-out call leaves nothing behind: who goes away interrupts its handlers",
      find: `    else signal.addEventListener("abort", this.#leave)\n`,
      replace: ``
    },
    {
      name: "a-body-that-is-given-up-keeps-its-place",
      promise: 8,
      test: "packages/http/test/HttpRoute.test.ts",
      find: `    this.#admission?.release()\n    this.#arrived(undefined)`,
      replace: `    this.#arrived(undefined)`
    },
    {
      name: "no-page-can-read-a-failure",
      promise: 6,
      test: "packages/http/test/HttpRoute.test.ts",
      title: "a page may read that the answer to it has failed",
      find: `this.fail(cause, this.#withCors({}))`,
      replace: `this.fail(cause, {})`
    }
  ]
} satisfies Mutants
