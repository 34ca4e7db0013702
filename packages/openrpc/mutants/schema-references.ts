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
      find: `while (isObject(current.value)`,
      replace: `if (isObject(current.value)`,
      title: "puts what references point to in their places"
    },
    {
      name: "openrpc-references-of-another-document-lead-into-this-one",
      promise: 2,
      find: `schemas.set(name, linked(value, address))`,
      replace: `schemas.set(name, linked(value, root))`,
      title: "puts them in their places, and their schemas"
    }
  ]
} satisfies Mutants
