import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp-gateway/src/Pins.ts",
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
      name: "tool-that-has-changed-is-listed",
      promise: 23,
      title: "refuses what has changed",
      find: `if (has("tool", name, feature.info)) return checking`,
      replace: `if (knows("tool", name)) return checking`
    },
    {
      name: "a-result-is-held-against-no-pinned-schema",
      promise: 23,
      title: "refuses a result that does not fit the approved output schema",
      find: `return checking(server, feature)`,
      replace: `return feature`
    },
    {
      name: "a-changed-prompt-is-offered",
      promise: 23,
      title: "refuses what has changed",
      find: `if (has("prompt", name, feature.info)) return feature`,
      replace: `if (knows("prompt", name)) return feature`
    },
    {
      name: "a-changed-page-is-shown",
      promise: 23,
      title: "refuses what has changed",
      find: `has("page", uri, result.contents) ? Exit.succeed(result)`,
      replace: `knows("page", uri) ? Exit.succeed(result)`
    },
    {
      name: "changed-instructions-reach-the-model",
      promise: 23,
      title: "leaves instructions out that have changed",
      find: `text === undefined || has("instructions", "", text)`,
      replace: `text === undefined || knows("instructions", "")`
    },
    {
      name: "a-refused-template-is-read-as-unlisted",
      promise: 23,
      title: "refuses what has changed",
      find: `const refusing = isRest ? hidden.find(`,
      replace: `const refusing = !isRest ? hidden.find(`
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
