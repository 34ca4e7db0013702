import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/openrpc/src/internal/generate.ts",
  test: "packages/openrpc/test/Codegen.test.ts",
  mutants: [
    {
      name: "openrpc-the-last-error-of-a-code-stands",
      promise: 2,
      find: `if (errors.findIndex(({ code }) => code === error.code) !== index) return []`,
      replace: ``,
      title: "takes errors whose data"
    },
    {
      name: "openrpc-params-are-put-in-another-order",
      promise: 2,
      find: `keys.every((key, index) => key === names[index])`,
      replace: `true`,
      title: "keeps the order of params"
    },
    {
      name: "openrpc-data-is-always-a-schema",
      promise: 2,
      find: `(isOwn || keywords.some((keyword) => Object.hasOwn(data, keyword)))`,
      replace: `true`,
      title: "takes errors whose data"
    }
  ]
} satisfies Mutants
