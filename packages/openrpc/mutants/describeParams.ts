import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/openrpc/src/internal/describeParams.ts",
  test: "packages/openrpc/test/OpenRpc.test.ts",
  mutants: [
    {
      name: "openrpc-optional-params-are-required",
      promise: 2,
      find: `annotations, !isOptional)`,
      replace: `annotations, true)`,
      title: "gives fields as params in their order"
    },
    {
      name: "openrpc-two-items-have-one-name",
      promise: 2,
      find: `at !== index && (title === other || title === \`p\${at}\`)`,
      replace: `false`,
      title: "gives no name twice"
    },
    {
      name: "openrpc-whole-params-are-not-kept",
      promise: 2,
      find: `"x-parley-params": schema
`,
      replace: `
`,
      title: "gives any other Schema as a whole"
    }
  ]
} satisfies Mutants
