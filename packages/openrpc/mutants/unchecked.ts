import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/openrpc/src/internal/unchecked.ts",
  test: "packages/openrpc/test/Codegen.test.ts",
  mutants: [
    {
      name: "openrpc-one-of-is-checked-with-a-looser-branch",
      promise: 2,
      find: `isLoose(inner["oneOf"]) ?`,
      replace: `false ?`,
      title: "keeps what JSON Schema says and Effect cannot check"
    },
    {
      name: "openrpc-components-of-what-is-kept-are-lost",
      promise: 2,
      find: `...(Object.keys(components).length > 0 && { components })`,
      replace: ``,
      title: "keeps what JSON Schema says and Effect cannot check"
    }
  ]
} satisfies Mutants
