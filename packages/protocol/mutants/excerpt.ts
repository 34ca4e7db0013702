import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/shared/text/Excerpt.ts",
  test: "packages/protocol/test/shared/Excerpt.test.ts",
  mutants: [
    {
      name: "an-escaped-value-loses-its-digits",
      promise: 3,
      find: "return Relayed.carry(copy, json)",
      replace: "return copy",
      title: "keeps the digits of a value"
    },
    {
      name: "a-client-writes-lines-into-the-log",
      promise: 6,
      title: "is bounded ASCII in quotes",
      find: `/[^ -~]/g`,
      replace: `/[^ -~\u202e]/g`
    },
    {
      name: "a-text-hides-what-a-model-reads",
      promise: 6,
      title: "lets no hidden character out of any variant",
      find: `\\p{Default_Ignorable_Code_Point}`,
      replace: ""
    },
    {
      name: "half-of-a-hidden-character-is-shown",
      promise: 6,
      title: "a line has",
      find: `for (let at = 0; at < character.length; at++) {`,
      replace: `for (let at = 0; at < 1; at++) {`
    },
    {
      name: "a-name-looks-like-another",
      promise: 6,
      title: "shows names that differ",
      find: `/[^\\w.-]/g`,
      replace: `/[^\\w. -]/g`
    },
    {
      name: "cause-in-the-log-is-as-it-was-sent",
      promise: 6,
      title: "a cause has nothing hidden",
      find: "if (stack === printed) return cause",
      replace: `if (stack !== "") return cause`
    },
    {
      name: "a-message-begins-a-line-of-the-log",
      promise: 6,
      title: "a cause has nothing hidden",
      find: String.raw`"\n    ")`,
      replace: String.raw`"\n")`
    }
  ]
} satisfies Mutants
