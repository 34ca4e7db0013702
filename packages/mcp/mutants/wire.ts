import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp/test/http-client/HeaderValue.test.ts",
  mutants: [
    {
      name: "modern-errors-have-forbidden-codes",
      promise: 14,
      test: "packages/mcp/test/wire/errorCodes.test.ts",
      find: "code === removed ? code + 900",
      replace: "code === removed ? code",
      title: "a result that is too large"
    },
    {
      name: "errors-of-middleware-leave-as-they-are",
      promise: 14,
      test: "packages/mcp/test/wire/errorCodes.test.ts",
      find: "Effect.mapError(effect, (error) => allowed(exchange.codec ?? RevisionCodec.latest, error))",
      replace: "effect",
      title: "the deadline of a handler"
    },
    {
      name: "base64-holds-any-bytes",
      promise: 1,
      find: "const text = Utf8.textOf(bytes)",
      replace: "const text = new TextDecoder().decode(bytes)",
      title: "what is no strict Base64 of UTF-8"
    },
    {
      name: "numbers-are-compared-as-texts",
      promise: 14,
      find: "numeral.test(text) && Number(text) === value",
      replace: "text === String(value)",
      title: "are compared as numbers"
    },
    {
      name: "dialect-settled-too-early",
      promise: 1,
      test: "packages/mcp/test/wire/McpDialect.test.ts",
      find: `reading(codec, undefined, relays)`,
      replace: `reading(codec, codec()?.features.unreadable ?? "omit", relays)`,
      title: "follows the revision as it becomes known"
    },
    {
      name: "handshake-can-be-cancelled",
      promise: 8,
      test: "packages/mcp/test/wire/McpDialect.test.ts",
      find: `Dialect.cancelledNotification(["initialize"])`,
      replace: "Dialect.cancelledNotification([])",
      title: "never cancels the handshake"
    },
    {
      name: "seal-replaces-the-kind-of-a-result",
      promise: 2,
      test: "packages/mcp/test/wire/RevisionCodec.test.ts",
      find: `        resultType: "complete",
        ...result,
        _meta`,
      replace: `        ...result,
        resultType: "complete",
        _meta`,
      title: "seals a modern result with its kind and its server"
    },
    {
      name: "members-travel-before-their-revision",
      promise: 2,
      test: "packages/mcp/test/wire/RevisionCodec.test.ts",
      find: "at(history, revision) ?? absent",
      replace: "at(history, revision) ?? same",
      title: "titles, icons and _meta go only where they are known"
    },
    {
      name: "a-quick-look-misses-no-member",
      promise: 2,
      test: "packages/mcp/test/wire/RevisionCodec.test.ts",
      find: "return found === required.size",
      replace: "return true",
      title: "decides quickly about calls and results of tools as the Schemas do"
    },
    {
      name: "a-use-of-a-tool-without-result-is-asked",
      promise: 14,
      test: "packages/mcp/test/wire/toolBalance.test.ts",
      find: "return left.size > 0 ? missing(left) : undefined",
      replace: "return undefined",
      title: "tool use and results in a conversation: "
    }
  ]
} satisfies Mutants
