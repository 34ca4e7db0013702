import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/HeaderValue.ts",
  test: "packages/mcp/test/http-client/HeaderValue.test.ts",
  mutants: [
    {
      name: "a-value-that-looks-encoded-is-sent-as-it-is",
      promise: 2,
      find: `plain.test(value) && !isEncoded(value)`,
      replace: `plain.test(value)`,
      title: "what looks encoded is encoded once more"
    },
    {
      name: "base64-holds-any-bytes",
      promise: 1,
      find: `new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })`,
      replace: `new TextDecoder()`,
      title: "what is no strict Base64 of UTF-8"
    },
    {
      name: "an-annotation-anywhere-counts",
      promise: 1,
      find: `if (!isReachable || path.length === 0)`,
      replace: `if (path.length === 0)`,
      title: "are refused at "
    },
    {
      name: "names-of-headers-differ-by-case",
      promise: 1,
      find: `const folded = name.toLowerCase()`,
      replace: `const folded = name`,
      title: "are refused where a name comes twice"
    },
    {
      name: "a-header-may-be-missing",
      promise: 14,
      find: "if (textOf(value) !== undefined) return `${header} is missing`",
      replace: ``,
      title: "are held against the body"
    },
    {
      name: "numbers-are-compared-as-texts",
      promise: 14,
      find: `numeral.test(text) && Number(text) === value`,
      replace: `text === String(value)`,
      title: "are compared as numbers"
    }
  ]
} satisfies Mutants
