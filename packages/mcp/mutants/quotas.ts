import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp/test/http-server/quota/flood.test.ts",
  mutants: [
    {
      name: "a-session-at-work-makes-room-for-a-flood",
      promise: 9,
      find: "session.isEvictable = false",
      replace: "session.isEvictable = true",
      title: "from everywhere ends no session of a principal"
    },
    {
      name: "a-principal-has-the-quota-of-each-address",
      promise: 17,
      find: `this.#make(head, "principal", principal)`,
      replace: `this.#make(head, "principal", principal + head.address)`,
      title: "is that of a principal wherever it calls from"
    },
    {
      name: "what-a-proxy-passes-on-is-of-this-machine",
      promise: 17,
      test: "packages/mcp/test/http-server/quota/proxies.test.ts",
      find: "const isNearby = !isProxied && (",
      replace: "const isNearby = (",
      title: "cannot be others, nor of this machine"
    },
    {
      name: "a-call-that-runs-on-is-not-counted",
      promise: 17,
      test: "packages/mcp/test/http-server/quota/requests.test.ts",
      find: "if (!this.#isAnswered) this.#end()",
      replace: "this.#end()",
      title: "are counted until they end"
    }
  ]
} satisfies Mutants
