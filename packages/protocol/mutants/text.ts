import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/text.ts",
  test: "packages/protocol/test/codec.test.ts",
  mutants: [
    {
      name: "encode-function-as-undefined",
      promise: 5,
      find: `throw new TypeError(`,
      replace: `return (`
    },
    {
      name: "encode-any-id-as-a-number",
      promise: 2,
      find: `String(Number(id)) === id`,
      replace: `id !== ""`
    },
    {
      name: "encode-long-params-without-text",
      promise: 2,
      find: ` && !("toJSON" in value)`,
      replace: ``
    },
    {
      name: "encode-method-without-text",
      promise: 2,
      find: `lastMethodText = jsonText(method)`,
      replace: `lastMethodText = textOf(method) ?? "null"`,
      title: "promise 2: what has no text is refused"
    }
  ]
} satisfies Mutants
