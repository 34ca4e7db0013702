import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/internal/places.ts",
  test: "packages/transport/test/Listener.test.ts",
  mutants: [
    {
      name: "listener-without-limit",
      promise: 17,
      find: `idle === undefined && this.#taken >= this.#connections`,
      replace: `idle === undefined && this.#taken > this.#connections`,
      test: "packages/transport/test/MemoryTransport.test.ts",
      title: "connections beyond the limit are closed at once"
    },
    {
      name: "listener-closes-a-busy-connection",
      promise: 17,
      find: `place.isBusy || place.since > before`,
      replace: `place.since > before`,
      title: "never closes one that is marked as busy"
    }
  ]
} satisfies Mutants
