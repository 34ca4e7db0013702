import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp/test/extension/McpExtension.test.ts",
  mutants: [
    {
      name: "extension-serves-who-has-not-declared-it",
      promise: 14,
      find: "if (refusal !== undefined) return Exit.fail(refusal)",
      replace: "",
      title: "is refused to a client that has not declared it"
    },
    {
      name: "extension-result-for-who-has-not-declared-it",
      promise: 14,
      find: "if (declared.client !== undefined && Option.isNone(settings)) {",
      replace: "if (false) {",
      title: "where nobody could read them, are our mistake"
    },
    {
      name: "topic-tells-what-is-not-permitted",
      promise: 11,
      test: "packages/mcp/test/extension/notifications.test.ts",
      find: "(values) => [{ ...topic, values }])",
      replace: "() => [topic])",
      title: "a client listens to the topics that it names"
    },
    {
      name: "notification-takes-the-place-of-another-key",
      promise: 11,
      test: "packages/mcp/test/extension/notifications.test.ts",
      find: "`${change.extension},${change.method},${change.key ?? \"\"}`",
      replace: "`${change.extension},${change.method}`",
      title: "a client that is slow is sent the newest of each key"
    },
    {
      name: "extension-hears-who-has-not-declared-it",
      promise: 14,
      test: "packages/mcp/test/extension/hearing.test.ts",
      find: "return refusal === undefined ? hear(call.params, call) : Exit.fail(refusal)",
      replace: "return hear(call.params, call)",
      title: "are dropped where they do not fit"
    },
    {
      name: "notification-contradicts-its-headers",
      promise: 14,
      test: "packages/mcp/test/extension/hearing.test.ts",
      find: "return mismatch === undefined ? undefined : McpError.headerMismatch(mismatch)",
      replace: "return undefined",
      title: "are accepted with 202 when they have been heard"
    },
    {
      name: "notification-is-heard-beyond-the-quota",
      promise: 11,
      test: "packages/mcp/test/extension/hearing.test.ts",
      find: "+ heard.length",
      replace: "",
      title: "count as calls of who sends them while they are heard"
    },
    {
      name: "extension-of-one-era-is-everywhere",
      promise: 14,
      find: "({ feature }) => feature.era === undefined || feature.era === era",
      replace: "() => true",
      title: "of one era is not there in the other"
    },
    {
      name: "extended-result-is-taken-as-it-is",
      promise: 10,
      find: "? readers.get(method)?.get(json[\"resultType\"])",
      replace: "? undefined",
      title: "become the result that the caller waits for"
    },
    {
      name: "methods-of-a-tool-that-is-added-are-unknown",
      promise: 14,
      test: "packages/mcp-tasks/test/server/composition.test.ts",
      find: "served.has(method) || state.extensions.has(method)",
      replace: "served.has(method)",
      title: "that a tool with tasks is added to has their methods, on connections before, too"
    },
    {
      name: "visible-is-asked-about-the-methods-of-tools",
      promise: 14,
      test: "packages/mcp-tasks/test/server/composition.test.ts",
      find: "server.visible === undefined || (feature._tag === \"McpExtension\" && feature.isOfTools === true)",
      replace: "server.visible === undefined",
      title: "with `visible` is asked about the tools alone"
    },
    {
      name: "the-last-option-of-a-tool-is-listed",
      promise: 14,
      test: "packages/mcp/test/extension/tools.test.ts",
      find: "options.map(({ info }) => info).toReversed()",
      replace: "options.map(({ info }) => info)",
      title: "of one extension: the first is listed, and the first is what it serves"
    }
  ]
} satisfies Mutants
