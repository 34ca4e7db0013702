import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/askingRounds.ts",
  test: "packages/mcp/test/asking/rounds.test.ts",
  mutants: [
    {
      name: "round-over-at-the-first-question",
      promise: 13,
      find: `    yield* Effect.yieldNow\n`,
      replace: ``,
      title: "collects what is asked at the same time"
    },
    {
      name: "round-over-while-a-once-runs",
      promise: 8,
      find: `this.pending.size > 0 && !Array.from(this.frames).some(({ waiting }) => waiting === 0)`,
      replace: `this.pending.size > 0`,
      title: "waits for a once that is under way, so that its result is not lost"
    },
    {
      name: "once-that-asks-waited-for",
      promise: 7,
      find: `each.waiting++`,
      replace: `each.waiting += 0`,
      title: "does not wait for a once that itself waits for an answer"
    },
    {
      name: "once-not-recorded",
      promise: 7,
      find: `this.results.set(key, result as Schema.Json)`,
      replace: `void result`,
      title: "runs once more for each round, and what stands in once does not"
    },
    {
      name: "taken-answer-forgotten",
      promise: 7,
      find: `        this.answers.set(key, answer)\n`,
      replace: ``,
      title: "that came before they were asked for are kept when they are taken",
      test: "packages/mcp/test/asking/answers.test.ts"
    },
    {
      name: "taken-answer-replaced",
      promise: 7,
      find: `this.answers.get(key) ?? this.given.get(key)`,
      replace: `this.given.get(key) ?? this.answers.get(key)`,
      title: "that were taken once stay, whatever else comes under their key",
      test: "packages/mcp/test/asking/answers.test.ts"
    },
    {
      name: "answers-beside-forgotten",
      promise: 10,
      find: `if (this.asked.has(key) && !answers.has(key)) answers.set(key, answer)`,
      replace: `answers.has(key)`,
      title: "that came beside the one this round needed are kept for the round that comes to them",
      test: "packages/mcp/test/asking/answers.test.ts"
    },
    {
      name: "answers-to-nothing-kept",
      promise: 10,
      find: `this.asked.has(key) && !answers.has(key)`,
      replace: `!answers.has(key)`,
      title: "to nothing that was asked are ignored, and not kept",
      test: "packages/mcp/test/asking/answers.test.ts"
    },
    {
      name: "given-up-question-asked",
      promise: 8,
      find: `        this.pending.delete(key)\n`,
      replace: ``,
      title: "does not ask what its handler no longer waits for"
    },
    {
      name: "handler-that-does-not-wait-left",
      promise: 8,
      find: `    fiber.interruptUnsafe()\n`,
      replace: `    void fiber\n`,
      title: "ends a handler that waits for something else than its question"
    },
    {
      name: "uninterruptible-question-hangs",
      promise: 8,
      find: `    for (const { resume } of pending) resume(Effect.interrupt)\n`,
      replace: `    void pending\n`,
      title: "ends a handler that cannot be interrupted, and hears no answer that it invents"
    },
    {
      name: "finalizer-asks",
      promise: 8,
      find: `      if (this.ended) return Effect.interrupt
      this.keys.take(key)
      // What was taken`,
      replace: `      this.keys.take(key)
      // What was taken`,
      title: "asks nothing from finalizers"
    },
    {
      name: "dying-finalizer-not-heard",
      promise: 15,
      find: `Result.isSuccess(defect)`,
      replace: `Result.isFailure(defect)`,
      title: "runs the finalizers of its handler before it is answered, and hears one that dies"
    }
  ]
} satisfies Mutants
