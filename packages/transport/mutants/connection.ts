import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/internal/connection.ts",
  test: "packages/transport/test/MemoryTransport.test.ts",
  mutants: [
    {
      name: "listener-without-limit",
      promise: 17,
      find: `open >= options.connections`,
      replace: `open > options.connections`,
      title: "connections beyond the limit are closed at once"
    }
  ]
} satisfies Mutants
