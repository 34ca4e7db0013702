import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/environment.ts",
  test: "packages/node/test/environment.test.ts",
  mutants: [
    {
      name: "safe-environment-has-secrets",
      promise: 15,
      title: "has no secrets where it is safe",
      find: `inherit === "all" || allowed`,
      replace: `inherit !== undefined || allowed`
    },
    {
      name: "environment-of-windows-minds-case",
      promise: 15,
      title: "has the names that are listed",
      find: `isWindows ? name.toUpperCase() : name`,
      replace: `name`
    }
  ]
} satisfies Mutants
