import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp-gateway/src",
  test: "packages/mcp-gateway/test/policy/budget.test.ts",
  mutants: [
    {
      name: "a-budget-is-never-given-back",
      promise: 17,
      find: "return Effect.ensuring(effect, Effect.sync(() => shares.give(party)))",
      replace: "return effect",
      title: "bounds its calls at once, all and of one caller: "
    },
    {
      name: "one-caller-spends-what-others-have",
      promise: 17,
      find: "Effect.andThen(ofOne(`of ${call.principal ?? \"\"}`), spent)",
      replace:
        "Effect.andThen(ofAll?.(\"all\") ?? Effect.void, Effect.andThen(ofOne(`of ${call.principal ?? \"\"}`), bounded))",
      title: "bounds its calls in a time, and takes nothing from others"
    },
    {
      name: "errors-of-a-healthy-server-open-the-breaker",
      promise: 17,
      find: "return code === McpError.UpstreamFailed\n",
      replace: "return code !== undefined\n",
      title: "leaves a server alone that has failed so many times in a row"
    },
    {
      name: "each-round-has-a-record",
      promise: 7,
      test: "packages/mcp-gateway/test/policy/audit.test.ts",
      find: "const guarded = guard.run(call, subject, this.#port.answered(sent))",
      replace: "const guarded = guard.run(call, subject, guard.run(call, subject, this.#port.answered(sent)))",
      title: "however it ends, and however many rounds it takes: "
    },
    {
      name: "a-refused-call-has-no-record",
      promise: 7,
      test: "packages/mcp-gateway/test/policy/audit.test.ts",
      find: "return this.refuse(call, subject, this.#refusal(kind, name, reason !== \"changed\"))",
      replace: "return Effect.fail(this.#refusal(kind, name, reason !== \"changed\"))",
      title: "also where it does not pass"
    },
    {
      name: "arguments-are-written-down-unasked",
      promise: 23,
      test: "packages/mcp-gateway/test/policy/audit.test.ts",
      find: "audit.withArguments === true && subject.arguments !== undefined",
      replace: "subject.arguments !== undefined",
      title: "however it ends, and however many rounds it takes: "
    },
    {
      name: "a-tool-needs-the-scopes-of-its-server-only",
      promise: 23,
      test: "packages/mcp-gateway/test/policy/scopes.test.ts",
      find: `if (feature._tag !== "McpTool" || tools?.scopes === undefined) return scopes`,
      replace: `if (feature._tag !== "McpTool" || tools?.scopes !== undefined) return scopes`,
      title: "are needed, and decide what is listed: "
    }
  ]
} satisfies Mutants
