import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/nats/src/internal/rpc/NatsService.ts",
  test: "packages/nats/test/wire/badFrames.test.ts",
  mutants: [
    {
      name: "bytes-on-a-subject-that-are-no-text-lose-their-kind",
      promise: 20,
      find: `BadFrame.toText(BadFrame.ofBytes("InvalidUtf8", data))`,
      replace: `"\uFFFD"`,
      title: "over NATS in memory"
    },
    {
      name: "a-full-service-asks-no-size",
      promise: 14,
      find: `if (data.length > limits.frame) {`,
      replace: `if (data.length > limits.frame && taken < limits.inFlight) {`,
      title: "over NATS in memory"
    },
    {
      name: "a-full-service-answers-in-the-usual-dialect",
      promise: 14,
      find: `Router.make({ dialect, limits, fallback`,
      replace: `Router.make({ limits, fallback`,
      title: "over NATS in memory"
    }
  ]
} satisfies Mutants
