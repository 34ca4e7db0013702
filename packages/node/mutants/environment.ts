import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/process/environment.ts",
  test: "packages/node/test/environment.test.ts",
  mutants: [
    {
      name: "environment-of-windows-minds-case",
      promise: 15,
      title: "has the names that are listed",
      find: `isWindows ? name.toUpperCase() : name`,
      replace: `name`
    }
  ]
} satisfies Mutants
