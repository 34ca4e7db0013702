import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/shared/server",
  test: "packages/node/test/NodeHttpServer.test.ts",
  mutants: [
    {
      name: "a-host-ends-while-others-wait-for-its-endpoint",
      promise: 19,
      test: "packages/node/test/HttpEndpoint.test.ts",
      title: "has its drain for what others have asked it for",
      find: `drained === undefined ? Effect.void :`,
      replace: `drained !== null ? Effect.void :`
    },
    {
      name: "streams-over-http-hold-up-a-drain",
      promise: 19,
      test: "packages/node/test/restarting/http.test.ts",
      title: "promise 19: end of input drains: streams end first",
      find: `this.#take("begins")`,
      replace: `this.#steps.push("begins")`
    },
    {
      name: "a-stream-over-http-breaks-off-at-the-deadline",
      promise: 19,
      title: "promise 19: end of input drains, and a stream ends with the error of its call",
      find: `const over = () => this.#take("over")`,
      replace: `const over = () => false`
    },
    {
      name: "who-comes-too-late-is-told-by-a-success",
      promise: 19,
      test: "packages/node/test/NodeHost.test.ts",
      title: "promise 19: end of input drains, on every route",
      find: `this.#isLate || this.served.isClosing ? endpoint.refusing?.(text, this) : undefined`,
      replace: `undefined`
    },
    {
      name: "whose-body-comes-too-late-is-told-by-a-success",
      promise: 19,
      test: "packages/node/test/NodeHost.test.ts",
      title: "promise 19: end of input drains, on every route",
      find: `this.#isLate || this.served.isClosing ? endpoint`,
      replace: `this.#isLate ? endpoint`
    },
    {
      name: "who-comes-too-late-needs-a-principal",
      promise: 19,
      test: "packages/node/test/NodeHost.test.ts",
      title: "promise 19: end of input drains, on every route",
      find: `      if (this.#isLate) return this.#read(Handshake.anonymous(this.head))\n`,
      replace: ``
    },
    {
      name: "a-handler-that-outlives-its-client-has-no-place",
      promise: 17,
      title: "a request keeps its place among those at once",
      find: `fiber.addObserver(() => this.release())`,
      replace: `this.release()`
    },
    {
      name: "authorize-outlives-its-client",
      promise: 8,
      test: "packages/node/test/handshake.test.ts",
      title: "is interrupted when the client leaves, and in time when it stays",
      find: `      this.#fiber = fiber\n      this.served.working.add(this)`,
      replace: `      this.served.working.add(this)`
    },
    {
      name: "answers-that-wait-for-the-turn-keep-every-place",
      promise: 17,
      test: "packages/node/test/http/together.test.ts",
      title: "keep no places of connections",
      find: `this.endpoint.limits.connections / 4`,
      replace: `Infinity`
    }
  ]
} satisfies Mutants
