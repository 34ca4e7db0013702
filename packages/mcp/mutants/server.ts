import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp/test/server/lists.test.ts",
  mutants: [
    {
      name: "a-server-reads-before-its-session-has-a-peer",
      promise: 11,
      test: "packages/mcp/test/server/running.test.ts",
      title: "reaches its client from the first call on, also outside of calls",
      find: `limits: { drain, ...limits }, start: "manual"`,
      replace: `limits: { drain, ...limits }`
    },
    {
      name: "server-in-memory-drains-by-itself",
      promise: 19,
      test: "packages/mcp/test/client/McpMemoryClient.test.ts",
      find: "{ limits: host.limits, progressGap: 0, caller: callerOf }",
      replace: "{ progressGap: 0, caller: callerOf }",
      title: "ends with its Scope, and what runs on the server as well"
    },
    {
      name: "answer-that-does-not-fit-is-ours",
      promise: 14,
      test: "packages/mcp/test/server/asking.test.ts",
      find: "? ClientRequestError.toErrorResponse(error)",
      replace: "? ErrorResponse.make(ErrorCode.InternalError, error.message)",
      title: "and an answer that does not fit is refused"
    },
    {
      name: "what-is-hidden-hides-more",
      promise: 14,
      find: "whereVisible(call, value, serve, next)",
      replace: "whereVisible(call, value, serve, unknown)",
      title: "hides nothing that a URI fits"
    },
    {
      name: "page-skips-an-entry",
      promise: 11,
      find: "this.#pageFrom(codec, names, last + 1, finish)",
      replace: "this.#pageFrom(codec, names, last + 2, finish)",
      title: "is neither listed nor served"
    },
    {
      name: "cursor-of-another-list-is-taken",
      promise: 14,
      find: "text?.startsWith(prefix) === true ? text.slice(prefix.length) : undefined",
      replace: `text?.slice(text.indexOf(" ") + 1)`,
      title: "knows only its own cursors"
    },
    {
      name: "defect-is-shown-to-the-model",
      promise: 15,
      test: "packages/mcp/test/server/McpTool.test.ts",
      find: "Cause.hasDies(cause) ? undefined : cause.reasons.find(Cause.isFailReason)",
      replace: "({ error: Cause.squash(cause) })",
      title: "that nobody declared is masked, and logged"
    },
    {
      name: "stuck-call-keeps-the-server",
      promise: 19,
      test: "packages/mcp/test/server/running.test.ts",
      find: "const drain = 500",
      replace: "const drain = 5_000",
      title: "ends within a second of its input"
    },
    {
      name: "same-change-is-owed-twice",
      promise: 17,
      test: "packages/mcp/test/server/changes.test.ts",
      find: "this.#pending.set(keyOf(change), change) if (this.#resume",
      replace: "this.#pending.set(String(this.#pending.size), change)\nif (this.#resume",
      title: "a client that does not read is owed each change once"
    },
    {
      name: "results-of-raw-tools-pass-unchecked",
      promise: 14,
      test: "packages/mcp/test/server/rawTool.test.ts",
      find: "if (issue.isUndecided !== true) return misfit(",
      replace:
        "if (issue.isUndecided === undefined) return Exit.succeed(result)\n  if (issue.isUndecided !== true) return misfit(",
      title: "by a tool "
    },
    {
      name: "a-resource-is-found-by-one-spelling",
      promise: 14,
      test: "packages/mcp/test/uris/server.test.ts",
      find: "this.resources.get(Uri.normalised(uri))",
      replace: "this.resources.get(uri)",
      title: "reach a subscriber by the name"
    },
    {
      name: "a-hidden-resource-tells-of-its-changes",
      promise: 6,
      test: "packages/mcp/test/server/changes.test.ts",
      find: "if (found === undefined || (found.feature.watch === undefined && mounts.isEmpty)) return undefined",
      replace:
        "found = [...call.offer.at(uri)].find(({ feature }) => feature.watch)\n  if (found === undefined) return undefined",
      title: "tells that caller of no changes"
    },
    {
      name: "a-subscription-stays-with-the-first-server",
      promise: 6,
      test: "packages/mcp/test/composition/mounting.test.ts",
      find: "mounts.ownerOf(next.offer, uri) !== owner",
      replace: "false",
      title: "may take a resource over, and who has subscribed hears of it there: "
    },
    {
      name: "a-stray-percent-sign-hides-whose-a-uri-is",
      promise: 14,
      test: "packages/mcp/test/uris/server.test.ts",
      find: "isNormal(text) ? text : lowered(encoded(text))",
      replace: "isNormal(text) || !isUri(text) ? text : lowered(encoded(text))",
      title: "and by no other one: "
    },
    {
      name: "reserved-characters-are-decoded",
      promise: 14,
      test: "packages/mcp/test/uris/server.test.ts",
      find: "const unreserved = /[A-Za-z0-9._~-]/",
      replace: "const unreserved = /[A-Za-z0-9._~\\/-]/",
      title: "and by no other one: "
    },
    {
      name: "variables-lose-their-case",
      promise: 14,
      test: "packages/mcp/test/uris/server.test.ts",
      find: "variablesOf(parts, Uri.encoded(given), cuts)",
      replace: "variablesOf(parts, uri, cuts)",
      title: "a match keeps the case of "
    },
    {
      name: "a-change-has-the-name-of-the-server",
      promise: 14,
      test: "packages/mcp/test/uris/server.test.ts",
      find: "(spellings.get(Uri.normalised(change.uri)) ?? []).map((uri) => ({ uri }))",
      replace: "[change]",
      title: "reach a subscriber by the name"
    }
  ]
} satisfies Mutants
