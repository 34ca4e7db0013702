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
      find: "Effect.andThen(ofOne(own), counted)",
      replace: "Effect.andThen(ofAll?.(\"all\") ?? Effect.void, Effect.andThen(ofOne(own), effect))",
      title: "bounds its calls in a time, and takes nothing from others"
    },
    {
      name: "refused-calls-spend-the-rate",
      promise: 17,
      find: "return atOnce === undefined ? checked : atOnce(call, checked)",
      replace:
        "return Effect.andThen(ofAll?.(\"all\") ?? Effect.void, atOnce === undefined ? checked : atOnce(call, checked))",
      title: "has nothing spent by calls that it refuses"
    },
    {
      name: "a-question-is-no-sign-of-life",
      promise: 17,
      find: "return alive === undefined ? counted(effect)",
      replace: "return alive === undefined || counted !== undefined ? counted(effect)",
      title: "takes a question of a server for a sign of life, whenever it is answered: "
    },
    {
      name: "statuses-of-requests-open-the-breaker",
      promise: 17,
      find: "return failure.status < 500",
      replace: "return failure.status < 400",
      title: "takes the HTTP status "
    },
    {
      name: "completions-without-scopes-have-no-record",
      promise: 7,
      test: "packages/mcp-gateway/test/policy/scopes.test.ts",
      find: "\"completion/complete\": (params) => {",
      replace: "\"completion/completed\": (params) => {",
      title: "are needed, and decide what is listed: "
    },
    {
      name: "failed-results-are-not-checked",
      promise: 23,
      test: "packages/mcp-gateway/test/Pins.test.ts",
      find: "content === undefined && result[\"isError\"] === true",
      replace: "result[\"isError\"] === true",
      title: "is checked where the tool says that it has failed, too: "
    },
    {
      name: "what-waits-has-any-length",
      promise: 17,
      test: "packages/mcp-gateway/test/hostile/floods.test.ts",
      find: "this.#size + size <= mostCharacters",
      replace: "size > 0",
      title: "is bounded by its number and by its characters"
    },
    {
      name: "room-is-not-given-back",
      promise: 17,
      test: "packages/mcp-gateway/test/hostile/floods.test.ts",
      find: "this.#room.give(entry.size)",
      replace: "",
      title: "has its part of the room of all calls"
    },
    {
      name: "a-report-without-room-drops-those-before-it",
      promise: 17,
      test: "packages/mcp-gateway/test/hostile/floods.test.ts",
      find: "if (!this.#room.has(size - this.#size)) return",
      replace: "",
      title: "has its part of the room of all calls"
    },
    {
      name: "questions-share-a-key",
      promise: 7,
      test: "packages/mcp-gateway/test/hostile/floods.test.ts",
      find: "while (this.#keys.has(key)) key =",
      replace: "while (false as boolean) key =",
      title: "each have a key, whatever keys the server gives"
    },
    {
      name: "questions-keep-their-room",
      promise: 17,
      test: "packages/mcp-gateway/test/hostile/floods.test.ts",
      find: "this.#room.give(asked.size)",
      replace: "",
      title: "each have a key, whatever keys the server gives"
    },
    {
      name: "arguments-of-waiting-calls-take-no-room",
      promise: 17,
      test: "packages/mcp-gateway/test/hostile/floods.test.ts",
      find: "if (!running.hold(size)) {",
      replace: "if (false as boolean) {",
      title: "take room for their arguments, are refused without it"
    },
    {
      name: "lists-change-as-often-as-their-server-wants",
      promise: 17,
      test: "packages/mcp-gateway/test/hostile/floods.test.ts",
      find: "if (isTold) return\n",
      replace: "\n",
      title: "are told at most once in a second, and the last one is not lost"
    },
    {
      name: "the-last-change-of-a-list-is-lost",
      promise: 17,
      test: "packages/mcp-gateway/test/hostile/floods.test.ts",
      find: "if (isAgain) tellCalmly(change)",
      replace: "if (isAgain) return",
      title: "are told at most once in a second, and the last one is not lost"
    },
    {
      name: "a-call-asks-as-much-as-its-server-wants",
      promise: 17,
      test: "packages/mcp-gateway/test/hostile/floods.test.ts",
      find: "if (this.#asked.size >= mostInputRequests || this.#keys.size >= mostKeys ||",
      replace: "if (",
      title: "beyond so many at once are refused, and the others wait: "
    },
    {
      name: "errors-of-a-healthy-server-open-the-breaker",
      promise: 17,
      find: "return Origin.isFailure(error) ?",
      replace: "return error.code !== 0 ?",
      title: "leaves a server alone that has failed so many times in a row"
    },
    {
      name: "each-round-has-a-record",
      promise: 7,
      test: "packages/mcp-gateway/test/policy/audit.test.ts",
      find: "guard.run(call, subject, this.#port.answered(sent), running.hasAsked)",
      replace: "guard.run(call, subject, guard.run(call, subject, this.#port.answered(sent)))",
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
      find: "audit.withArguments === true && args !== undefined",
      replace: "args !== undefined",
      title: "however it ends, and however many rounds it takes: "
    },
    {
      name: "a-tool-needs-the-scopes-of-its-server-only",
      promise: 23,
      test: "packages/mcp-gateway/test/policy/scopes.test.ts",
      find: `if (feature._tag !== "McpTool" || tools?.scopes === undefined) return scopes`,
      replace: `if (feature._tag !== "McpTool" || tools?.scopes !== undefined) return scopes`,
      title: "are needed, and decide what is listed: "
    },
    {
      name: "a-replaced-server-ends-with-its-calls",
      promise: 9,
      test: "packages/mcp-gateway/test/lifetime/reload.test.ts",
      find: "Effect.andThen(before.upstream.settled),",
      replace: "",
      title: "under 64 calls loses none, and ends the old server behind the last: "
    },
    {
      name: "a-replaced-server-stays-for-ever",
      promise: 9,
      test: "packages/mcp-gateway/test/lifetime/reload.test.ts",
      find: "Effect.andThen(Scope.close(before.scope, Exit.void))",
      replace: "Effect.asVoid",
      title: "again and again leaves nothing behind"
    },
    {
      name: "a-question-is-lost-with-its-server",
      promise: 7,
      test: "packages/mcp-gateway/test/lifetime/reload.test.ts",
      find: "all: config.kept.calls",
      replace: "all: new Map()",
      title: "keeps a question of a server that goes, and brings the answer back: "
    },
    {
      name: "all-servers-are-replaced",
      promise: 9,
      test: "packages/mcp-gateway/test/lifetime/reload.test.ts",
      find: "slot === undefined || slot.entry === member ?",
      replace: "slot === undefined ?",
      title: "under 64 calls loses none, and ends the old server behind the last: "
    },
    {
      name: "room-ends-with-the-upstream",
      promise: 17,
      test: "packages/mcp-gateway/test/hostile/floods.test.ts",
      find: "scope: config.kept.scope,",
      replace: "scope,",
      title: "give their room back though their server has been replaced"
    },
    {
      name: "one-party-has-all-the-room",
      promise: 17,
      test: "packages/mcp-gateway/test/hostile/floods.test.ts",
      find: "const mostOfOne = most / 4",
      replace: "const mostOfOne = most",
      title: "leaves room to others, whatever one party or all without a principal take"
    },
    {
      name: "a-late-result-takes-no-room",
      promise: 17,
      test: "packages/mcp-gateway/test/hostile/floods.test.ts",
      find: "Exit.isFailure(exit) || this.hold(sizeOf(exit.value))",
      replace: "true",
      title: "take room for a result that comes while nobody waits for it, or lose it"
    },
    {
      name: "a-session-is-asked-as-much-as-its-server-wants",
      promise: 17,
      test: "packages/mcp-gateway/test/hostile/floods.test.ts",
      find: "if (this.#waiting >= mostInputRequests || !this.#room.take(size)) return Effect.fail(tooMany)",
      replace: "",
      title: "outside of its calls are bounded, too, and give their room back"
    },
    {
      name: "answers-travel-on-with-the-state",
      promise: 17,
      test: "packages/mcp-gateway/test/questions.test.ts",
      find: "call.ask(key, question, { isOnce: true })",
      replace: "call.ask(key, question)",
      title: "an answer that the server has does not travel on with the state of its call"
    },
    {
      name: "a-subscription-ends-with-its-server",
      promise: 11,
      test: "packages/mcp-gateway/test/lifetime/reload.test.ts",
      find: "Stream.interruptWhen(watch(uri, call), Deferred.await(left))",
      replace: "watch(uri, call)",
      title: "tells clients of other lists, and of what they listen to at another server: "
    }
  ]
} satisfies Mutants
