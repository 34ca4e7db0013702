import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/traffic/src/internal/redaction",
  test: "packages/traffic/test/Redaction.test.ts",
  mutants: [
    {
      name: "a-text-is-searched-for-secrets-once",
      promise: 15,
      find: "const maxPasses = 8",
      replace: "const maxPasses = 1",
      title: "regression: is redacted once"
    },
    {
      name: "any-token-of-a-message-about-work-is-harmless",
      promise: 15,
      find: `if (!methods.has(message["method"])) return undefined`,
      replace: "",
      title: "keeps the token of work in LSP"
    },
    {
      name: "an-escaped-name-hides-a-secret",
      promise: 15,
      find: "(traits & escaped) === 0 ? this.#text.slice(start, end) : decoded(this.#text, start, end)",
      replace: "this.#text.slice(start, end)",
      title: "has no planted secret"
    },
    {
      name: "json-in-a-string-hides-a-secret",
      promise: 15,
      find: "if (isEscaped) return this.#escaped(start, end)",
      replace: "if (isEscaped) return this.#depth > 0 ? undefined : this.#escaped(start, end)",
      title: "has no planted secret"
    },
    {
      name: "a-deep-string-hides-a-secret",
      promise: 15,
      find: "this.#found.push({ start, end, by: mark })",
      replace: "",
      title: "replaces a string as a whole"
    },
    {
      name: "a-parameter-of-a-schema-is-a-secret",
      promise: 15,
      find: "const isDescribed = !isArray && (container & properties) !== 0",
      replace: "const isDescribed = isArray && (container & properties) !== 0",
      title: "has no value of a member with the name of a secret"
    },
    {
      name: "a-progress-token-is-a-secret",
      promise: 15,
      find: "return own.has(plain) || whole.has(plain) || (ending.test(plain) && !harmless.test(plain))",
      replace: "return ending.test(plain)",
      title: "has no value of a member with the name of a secret"
    },
    {
      name: "the-required-names-of-a-schema-are-secrets",
      promise: 15,
      find: "(!this.#isFirst || (container & list) !== 0)",
      replace: "!this.#isFirst",
      title: "has no value behind a flag or a name in an array"
    },
    {
      name: "an-escaped-quote-ends-no-value",
      promise: 15,
      find: "run % (2 * quote.length) === escaped",
      replace: "run === 0",
      title: "has no value of a line of settings"
    },
    {
      name: "a-quote-ends-the-value-of-a-header",
      promise: 15,
      find: `if (character === "\\n" || character === "\\r") break`,
      replace: `if (character === "\\n" || character === "\\r" || character === '"') break`,
      title: "has no value of a line of settings"
    }
  ]
} satisfies Mutants
