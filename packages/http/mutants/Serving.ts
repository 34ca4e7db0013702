import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src",
  test: "packages/node/test/NodeHttp.test.ts",
  mutants: [
    {
      name: "the-user-of-a-host-is-anybody",
      promise: 23,
      test: "packages/node/test/http/requestListener.test.ts",
      title: "counts in place of that of `authorize`",
      find:
        `      if (principal !== undefined) return this.#read(Authorization.handshakeOf(this.head, checked(principal)))\n`,
      replace: ``
    },
    {
      name: "events-pile-up-for-who-does-not-read",
      promise: 18,
      find: `Queue.bounded<Uint8Array, Cause.Done>(1)`,
      replace: `Queue.unbounded<Uint8Array, Cause.Done>()`
    },
    {
      name: "what-was-given-up-keeps-its-place",
      promise: 8,
      find: `    fiber.addObserver(() => this.release())\n`,
      replace: ``
    },
    {
      name: "a-body-never-comes-too-slowly",
      promise: 8,
      title: "a body that comes too slowly is 408",
      find: `      if (this.isReading) this.#wait()`,
      replace: ``
    },
    {
      name: "a-small-body-has-two-limits",
      promise: 5,
      test: "packages/node/test/HttpRoute.test.ts",
      title: "is bounded by the limit of the route alone",
      find: `Context.add(this.context, MaxBodySize, maxBodySize)`,
      replace: `this.context`
    },
    {
      name: "a-body-is-read-to-its-end-whatever-its-host-says-of-it",
      promise: 5,
      test: "packages/http/test/HttpRoute.test.ts",
      find: `if (!this.take(value)) return this.stop()`,
      replace: `this.take(value)`
    },
    {
      name: "a-request-whose-endpoint-throws-keeps-its-place",
      promise: 8,
      test: "packages/http/test/HttpRoute.test.ts",
      title: "gives the place of a request back whose endpoint throws",
      find: `    if (this.#fiber === undefined) this.settled()\n`,
      replace: ``
    },
    {
      name: "the-signal-of-a-request-interrupts-nothing",
      promise: 8,
      title: "promise 8: an interrupted or timed-out call leaves nothing behind: who goes away interrupts its handlers",
      find: `    signal.addEventListener("abort", this.#onAbort)\n`,
      replace: ``
    },
    {
      name: "a-body-that-is-given-up-keeps-its-place",
      promise: 8,
      test: "packages/http/test/HttpRoute.test.ts",
      find: `    if (fiber === undefined) return this.release()`,
      replace: `    if (fiber === undefined) return`
    },
    {
      name: "no-page-can-read-a-failure",
      promise: 6,
      test: "packages/http/test/HttpRoute.test.ts",
      title: "a page may read that the answer to it has failed",
      find: `headers: this.#withCors(RequestRules.headersOf({ headers }))`,
      replace: `headers: RequestRules.headersOf({ headers })`
    }
  ]
} satisfies Mutants
