import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp/test/questions/rounds.test.ts",
  mutants: [
    {
      name: "round-over-at-the-first-question",
      promise: 13,
      find: `    yield* Effect.yieldNow
`,
      replace: "",
      title: "collects what is asked at the same time"
    },
    {
      name: "taken-answer-replaced",
      promise: 7,
      test: "packages/mcp/test/questions/answers.test.ts",
      find: "this.answers.get(key) ?? this.given.get(key)",
      replace: "this.given.get(key) ?? this.answers.get(key)",
      title: "that were taken once stay, whatever else comes under their key"
    },
    {
      name: "nobody-hears-a-finalizer-of-a-call-that-was-given-up",
      promise: 15,
      test: "packages/mcp/test/questions/rounds.test.ts",
      find: "() => Effect.flatMap(Fiber.await(fiber), heard)",
      replace: "() => Effect.asVoid(Fiber.await(fiber))",
      title: "runs the finalizers of its handler before it is answered"
    }
  ]
} satisfies Mutants
