import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp-gateway/src",
  test: "packages/mcp-gateway/test/Pins.test.ts",
  mutants: [
    {
      name: "pins-are-rounded",
      promise: 3,
      title: "has the number ",
      find: "Relayed.parseUnsafe(text)",
      replace: "JSON.parse(text)"
    },
    {
      name: "what-has-changed-is-offered",
      promise: 23,
      title: "refuses what has changed",
      find: `approved.has(kind, name, definition)`,
      replace: `approved.knows(kind, name)`
    },
    {
      name: "a-result-is-held-against-no-pinned-schema",
      promise: 23,
      title: "refuses a result that does not fit the approved output schema",
      find: `misfit === undefined ? Exit.succeed(result)`,
      replace: `misfit !== null ? Exit.succeed(result)`
    },
    {
      name: "a-changed-page-is-shown",
      promise: 23,
      title: "refuses what has changed",
      find: `approved.has("page", name, contents)`,
      replace: `approved.knows("page", name)`
    },
    {
      name: "changed-instructions-reach-the-model",
      promise: 23,
      title: "leaves instructions out that have changed",
      find: `const reason = this.#verdict("instructions", "", text)`,
      replace: `const reason: Refusal["reason"] | undefined = undefined`
    },
    {
      name: "a-refused-template-is-read-as-unlisted",
      promise: 23,
      title: "refuses what has changed",
      find: `!isUnlisted(scoped) || hidden.length === 0`,
      replace: `isUnlisted(scoped) || hidden.length === 0`
    },
    {
      name: "a-page-is-known-by-one-spelling",
      promise: 23,
      title: "that a host shows is refused once it has changed, however its URI is spelled: ",
      find: `=> Uri.isPage(uri)`,
      replace: `=> uri.startsWith("ui://")`
    }
  ]
} satisfies Mutants
