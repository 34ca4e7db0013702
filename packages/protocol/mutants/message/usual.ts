import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** Messages in a usual order, which are read without parsing their envelope. */
export default {
  file: "packages/protocol/src/internal/usual.ts",
  test: "packages/protocol/test/usual.test.ts",
  mutants: [
    {
      name: "an-id-beyond-the-safe-integers-is-added-up",
      promise: 3,
      find: `end - start <= mostDigits`,
      replace: `end - start <= 2 * mostDigits`
    },
    {
      name: "zeros-before-an-id-are-read-over",
      promise: 3,
      find: `(end - start === 1 || text.charCodeAt(start) !== zero)`,
      replace: `true`
    },
    {
      name: "digits-at-the-end-are-those-of-any-member",
      promise: 3,
      find: `isPlain(text, start, end) && text.startsWith(idKey, start - idKey.length)`,
      replace: `isPlain(text, start, end)`
    },
    {
      name: "a-method-is-taken-with-its-escapes",
      promise: 3,
      find: `const method: unknown = JSON.parse(text.slice(open, close + 1))`,
      replace: `const method: unknown = text.slice(open + 1, close)`
    },
    {
      name: "a-method-that-is-no-string-costs-the-shortcut",
      promise: 1,
      test: "packages/protocol/test/Mistakes.test.ts",
      title: "a text that is left to the parser",
      find: `text.charCodeAt(open) !== quote ||`,
      replace: ``
    },
    {
      name: "a-method-is-taken-for-the-one-before",
      promise: 2,
      find: `text.startsWith(last.head, start)`,
      replace: `text.startsWith(methodKey, start)`
    }
  ]
} satisfies Mutants
