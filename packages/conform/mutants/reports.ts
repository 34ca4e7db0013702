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
      name: "a-command-that-is-copied-is-cut",
      promise: 2,
      find: `name === "again" ? Excerpt.line(text, Infinity) : lines(text)`,
      replace: "lines(text)",
      title: "cut long texts in a table, and never the command that somebody copies"
    },
    {
      name: "a-text-of-a-server-is-a-link",
      promise: 15,
      find: "plain([entry.title, ...linesOf(entry)]",
      replace: "String([entry.title, ...linesOf(entry)]",
      title: "have no links in SARIF but our own"
    },
    {
      name: "a-name-with-a-number-sign-is-cut-in-a-uri",
      promise: 2,
      find: `.split("/").map(encodeURIComponent).join("/")`,
      replace: `.split("/").map(encodeURI).join("/")`,
      title: "name a file in SARIF by a URI that leads to it"
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
