import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/conform/src",
  test: "packages/conform/test/report/formats.test.ts",
  mutants: [
    {
      name: "a-text-of-a-server-is-markup",
      promise: 15,
      find: `.replaceAll("<", "&lt;")`,
      replace: "",
      title: "are one page of HTML in which no text of a server is markup"
    },
    {
      name: "a-known-failure-that-passes-is-forgotten",
      promise: 7,
      find: `ids.has(id) && verdict === "pass" ? [id] : []`,
      replace: "[]",
      title: "are a failure when they pass"
    }
  ]
} satisfies Mutants
