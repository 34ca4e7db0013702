import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/cli/src",
  test: "packages/cli/test/proxy/SharedLine.test.ts",
  mutants: [
    {
      name: "a-relay-passes-headers-of-a-connection",
      promise: 3,
      test: "packages/cli/test/proxy/relay.test.ts",
      find: "|| without.has(name) || named.has(name)",
      replace: "|| without.has(name)",
      title: "passes methods, paths, queries, headers"
    },
    {
      name: "a-relay-leads-out-of-its-endpoint",
      promise: 6,
      test: "packages/cli/test/proxy/relay.test.ts",
      find: "if (!pathname.startsWith(`${above}/`)) return undefined",
      replace: "",
      title: "keeps pages, other hosts, other paths"
    },
    {
      name: "a-relay-reads-faster-than-its-client",
      promise: 18,
      test: "packages/cli/test/proxy/relay.test.ts",
      find: "response.read((bytes) => responder.write(bytes))",
      replace: "response.read((bytes) => Effect.asVoid(Effect.forkChild(responder.write(bytes))))",
      title: "reads an answer no faster than its client"
    },
    {
      name: "a-proxy-answers-what-nobody-asked",
      promise: 20,
      test: "packages/cli/test/proxy/ExchangeTransport.test.ts",
      find: "ErrorReply.toMalformed(failure, rules) === undefined",
      replace: `failure._tag === "InvalidResponse"`,
      title: "answers nothing to "
    },
    {
      name: "exchange-transport-receives-without-bound",
      promise: 18,
      test: "packages/cli/test/proxy/ExchangeTransport.test.ts",
      find: "Queue.bounded<string, TransportError>(unread)",
      replace: "Queue.unbounded<string, TransportError>()",
      title: "lets what comes back wait while nobody receives"
    },
    {
      name: "exchange-transport-posts-replies-as-calls",
      promise: 12,
      test: "packages/cli/test/proxy/ExchangeTransport.test.ts",
      find: `asked.isSettled ? "reply" : "call"`,
      replace: `"call"`,
      title: "tells the exchange what must not wait behind calls"
    },
    {
      name: "shared-line-keeps-its-own-ids",
      promise: 3,
      find: "Splice.mapIds(text.trim(), () => slot.id)",
      replace: "text.trim()",
      title: "numbers the requests of all clients anew"
    },
    {
      name: "shared-line-numbers-notifications-of-1-0",
      promise: 20,
      find: "if (isNotification(members[member])) return id",
      replace: "",
      title: "passes calls of JSON-RPC 1.0"
    },
    {
      name: "shared-line-remembers-who-has-gone",
      promise: 8,
      find: "mine.forEach((number) => line.waiting.delete(number))",
      replace: "mine.splice(0)",
      title: "forgets a client that goes away"
    },
    {
      name: "shared-line-passes-names-in-another-case",
      promise: 3,
      test: "packages/cli/test/proxy/ambiguity.test.ts",
      find: "if (alike !== undefined) return",
      replace: "if (alike === \"\") return",
      title: "refuses a call that another reader may give another id"
    },
    {
      name: "shared-line-gives-an-id-of-1-0-back-as-a-number",
      promise: 3,
      find: "take(Splice.mapIds(answer, () => id))",
      replace: "take(answer)",
      title: "carries ids of JSON-RPC 1.0"
    },
    {
      name: "shared-line-passes-doubled-names",
      promise: 3,
      test: "packages/cli/test/proxy/ambiguity.test.ts",
      find: "else seen.add(plain)",
      replace: "",
      title: "refuses a call that another reader may give another id"
    }
  ]
} satisfies Mutants
