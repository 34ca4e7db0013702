import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/openrpc/src/internal/schema/references.ts",
  test: "packages/openrpc/test/OpenRpcDocument.test.ts",
  mutants: [
    {
      name: "openrpc-references-lead-into-prototypes",
      promise: 1,
      find: `Object.hasOwn(value, token)`,
      replace: `token in value`,
      title: "refuses "
    },
    {
      name: "openrpc-references-are-not-followed-further",
      promise: 1,
      find: `while (isObject(current)`,
      replace: `if (isObject(current)`,
      title: "puts what references point to in their places"
    }
  ]
} satisfies Mutants
