import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/shared/text/SourceText.ts",
  test: "packages/protocol/test/shared/Written.test.ts",
  mutants: [
    {
      name: "a-name-of-a-result-may-stand-twice",
      promise: 2,
      title: "is refused where a name stands twice in an object of it",
      find: "own.size === envelope.length && names === namesIn(result)",
      replace: "own.size === envelope.length"
    },
    {
      name: "a-response-may-have-two-results",
      promise: 2,
      title: "is refused with the name that stands twice",
      find: "own.size === envelope.length && names === namesIn(result)",
      replace: "names === namesIn(result)"
    },
    {
      name: "a-result-that-passes-ends-lines",
      promise: 2,
      title: "goes on with each member",
      find: `text.replace(/[\\r\\n]+/g, " ")`,
      replace: "text"
    },
    {
      name: "a-lone-surrogate-passes",
      promise: 2,
      title: "is none where a surrogate is alone in it",
      find: " || !text.isWellFormed()",
      replace: ""
    }
  ]
} satisfies Mutants
