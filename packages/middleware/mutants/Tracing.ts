import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/middleware/src",
  test: "packages/middleware/test/Tracing.test.ts",
  mutants: [
    {
      name: "the-callers-span-is-no-parent",
      promise: 11,
      title: "has a span on both sides",
      find: `traceContext === undefined ? undefined : parentOf(traceContext, call)`,
      replace: `undefined`
    },
    {
      name: "spans-without-a-tracer",
      promise: 11,
      title: "calls pass as they are",
      find: `cache.tracer !== undefined && cache.tracerEnabled`,
      replace: `cache.tracerEnabled`
    }
  ]
} satisfies Mutants
