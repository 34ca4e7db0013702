import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/client/Answers.ts",
  test: "packages/mcp/test/client/Input.test.ts",
  mutants: [
    {
      name: "defaults-are-left-out",
      promise: 14,
      find: `{ ...defaultsOf(requestedSchema), ...result.content }`,
      replace: `{ ...result.content }`,
      title: "an accepted form has the defaults"
    },
    {
      name: "defaults-win",
      promise: 14,
      find: `{ ...defaultsOf(requestedSchema), ...result.content }`,
      replace: `{ ...result.content, ...defaultsOf(requestedSchema) }`,
      title: "an accepted form has the defaults"
    },
    {
      name: "a-declined-form-has-content",
      promise: 14,
      find: `if (result.action !== "accept") return Effect.succeed(bare(result))`,
      replace: `if (result.action !== "accept") return Effect.succeed(result)`,
      title: "an answer that does not fit the form"
    },
    {
      name: "any-answer-fits-a-form",
      promise: 14,
      find: `if (issue === undefined) return Effect.succeed({ ...result, content })`,
      replace: `if (issue !== null) return Effect.succeed({ ...result, content })`,
      title: "an answer that does not fit the form"
    },
    {
      name: "tools-reach-a-model-that-takes-none",
      promise: 14,
      find: `if (withTools && handlers.sampling?.tools !== true) return refuse("this model takes no tools")`,
      replace: ``,
      title: "what there is no handler for is refused"
    },
    {
      name: "a-choice-of-tools-reaches-a-model-that-takes-none",
      promise: 14,
      find: ` || request.toolChoice !== undefined`,
      replace: ``,
      title: "what there is no handler for is refused"
    }
  ]
} satisfies Mutants
