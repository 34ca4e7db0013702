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
      name: "encode-long-notification-without-method",
      promise: 2,
      find: `methodText(method)\n  if (params === undefined) return \`{"jsonrpc":"2.0","method"`,
      replace: `wasLong ? "" : methodText(method)\n  if (params === undefined) return \`{"jsonrpc":"2.0","method"`,
      title: "promise 2: what has no text is refused"
    }
  ]
} satisfies Mutants
