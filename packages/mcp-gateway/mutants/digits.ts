import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp-gateway/src",
  test: "packages/mcp-gateway/test/texts/digits.test.ts",
  mutants: [
    {
      name: "a-gateway-rounds-what-comes-back",
      promise: 2,
      title: "are those that came: ",
      find: `keepDigits: true`,
      replace: `keepDigits: false`
    },
    {
      name: "a-question-forgets-the-digits-of-its-meta",
      promise: 2,
      title: "pass in questions and in their answers: ",
      find: `Relayed.carry({ ...params._meta, [askerKey]: name }, params._meta)`,
      replace: `{ ...params._meta, [askerKey]: name }`
    }
  ]
} satisfies Mutants
