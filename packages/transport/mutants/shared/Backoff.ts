import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** The waits of everything that tries again. */
export default {
  file: "packages/transport/src/shared/Backoff.ts",
  test: "packages/transport/test/shared/Backoff.test.ts",
  mutants: [
    {
      name: "those-that-failed-together-come-back-together",
      promise: 21,
      title: "does not bring back together",
      find: `spread(Duration.min(duration, bound))`,
      replace: `Effect.succeed(Duration.min(duration, bound))`
    },
    {
      name: "a-wait-is-shorter-than-was-asked-for",
      promise: 21,
      title: "is up to a fifth longer or shorter",
      find: `(1 + part * random)`,
      replace: `(1 - part * random)`
    }
  ]
} satisfies Mutants
