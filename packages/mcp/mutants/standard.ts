import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp/test/standard/table.test.ts",
  mutants: [
    {
      name: "unknown-argument-is-reported-twice",
      promise: 14,
      find: "index % 2 === 1 && places.has(placeOf(path, part))",
      replace: "index % 2 === 0 && places.has(placeOf(path, part))",
      title: "refuses the same arguments, at the same paths"
    },
    {
      name: "issues-that-are-left-out-are-not-counted",
      promise: 14,
      test: "packages/mcp/test/schema/argumentIssues.test.ts",
      find: "firstOf([...others, ...members], invalid, left)",
      replace: "firstOf([...others, ...members], invalid)",
      title: "are refused with the first issues of "
    },
    {
      name: "values-within-values-are-not-counted",
      promise: 14,
      test: "packages/mcp/test/schema/argumentIssues.test.ts",
      find: "for (const inner of Object.values(value)) open.push(inner)",
      replace: "if (count === 0) for (const inner of Object.values(value)) open.push(inner)",
      title: "are read no further for a Schema"
    },
    {
      name: "effect-starts-after-its-call-was-cancelled",
      promise: 8,
      test: "packages/mcp/test/standard/PromiseHandler.test.ts",
      find: "if (this.signal.aborted || this.isOver) return never()\n    const running",
      replace: "const running",
      title: "leaves undone what a handler still does after its call has been cancelled, and rejects nothing"
    },
    {
      name: "handlers-that-are-left-are-kept",
      promise: 8,
      test: "packages/mcp/test/standard/PromiseHandler.test.ts",
      find: "const never = (): Promise<never> => new Promise(() => {})",
      replace: "const forever = new Promise<never>(() => {})\nconst never = () => forever",
      title: "is freed with the handler that was left behind"
    }
  ]
} satisfies Mutants
