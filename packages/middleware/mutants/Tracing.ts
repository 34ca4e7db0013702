import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/middleware/src",
  test: "packages/middleware/test/Tracing.test.ts",
  mutants: [
    {
      name: "a-header-names-no-parent",
      promise: 11,
      test: "packages/middleware/test/TraceContext.test.ts",
      title: "promise 11: what belongs to a call reaches it before its response: the span",
      find: `parentOf(traceContext, call) ?? outside`,
      replace: `parentOf(traceContext, call)`
    },
    {
      name: "a-header-is-stronger-than-its-message",
      promise: 11,
      test: "packages/middleware/test/TraceContext.test.ts",
      title: "promise 11: what belongs to a call reaches it before its response: the span",
      find: `parentOf(traceContext, call) ?? outside`,
      replace: `outside ?? parentOf(traceContext, call)`
    },
    {
      name: "the-callers-span-is-no-parent",
      promise: 11,
      title: "has a span on both sides",
      find: `traceContext === undefined ? undefined : parentOf(traceContext, call)`,
      replace: `undefined`
    },
    {
      name: "a-header-is-trusted-where-nothing-travels",
      promise: 11,
      test: "packages/middleware/test/TraceContext.test.ts",
      title: "is not read where nothing travels",
      find: `(outside) => traceContext === undefined ? undefined :`,
      replace: `(outside) => traceContext === undefined ? outside :`
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
