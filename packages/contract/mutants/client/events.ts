import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/client/events.ts",
  test: "packages/bench/test/loaded/looks.slow.test.ts",
  mutants: [
    {
      name: "an-event-asks-every-subscription",
      promise: 12,
      title: "loaded/subscriptions",
      find: `for (const subscriber of this.#open.get(id) ?? []) {`,
      replace: `for (const subscriber of [...this.#open].flatMap(([open, all]) => open === id ? [...all] : [])) {`
    }
  ]
} satisfies Mutants
