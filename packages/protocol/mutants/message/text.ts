import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/text.ts",
  test: "packages/protocol/test/codec.test.ts",
  mutants: [
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
      name: "write-one-member-in-json-rpc-1",
      promise: 2,
      test: "packages/protocol/test/dialects.test.ts",
      find: `options.responses === "both" ? \`,"error":null}\` : "}"`,
      replace: `"}"`
    },
    {
      name: "write-params-by-name-in-json-rpc-1",
      promise: 2,
      test: "packages/protocol/test/dialects.test.ts",
      find: `form.params === "array" && !Array.isArray(params)`,
      replace: `form.params === "null" && !Array.isArray(params)`
    },
    {
      name: "a-name-of-one-escape-is-left-to-the-engine",
      promise: 2,
      test: "packages/protocol/test/codec.test.ts",
      title: "promise 2: the name",
      find: "    return parse(text, Number)\n",
      replace: "    return JSON.parse(text)\n"
    }
  ]
} satisfies Mutants
