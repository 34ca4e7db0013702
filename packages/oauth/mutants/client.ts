import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/oauth/src/internal",
  test: "packages/oauth/test/client/authorizationCode.test.ts",
  mutants: [
    {
      name: "a-code-of-another-issuer-is-redeemed",
      promise: 6,
      find: "if (from !== null && from !== issuer)",
      replace: `if (from !== null && from.replace(/\\/$/, "") !== issuer && error === null)`,
      title: "with "
    },
    {
      name: "an-answer-to-another-request-is-taken",
      promise: 6,
      find: `if (answer.get("state") !== state)`,
      replace: `if (answer.has("state") && answer.get("state") !== state)`,
      title: "with "
    },
    {
      name: "a-server-without-pkce-is-used",
      promise: 6,
      find: `server.code_challenge_methods_supported?.includes("S256") !== true`,
      replace: `server.code_challenge_methods_supported?.includes("S256") === false`,
      title: "is not shown where the metadata"
    },
    {
      name: "metadata-of-another-issuer-are-taken",
      promise: 6,
      test: "packages/oauth/test/client/discovery.test.ts",
      find: "Metadata.isSameIssuer(found.metadata.issuer, issuer)",
      replace: "new URL(found.metadata.issuer).href === new URL(issuer).href",
      title: "of the issuer "
    },
    {
      name: "any-slash-at-the-end-of-an-issuer-is-left-out",
      promise: 6,
      test: "packages/oauth/test/client/discovery.test.ts",
      find: "bare.test(issuer) ? issuer.slice(0, -1) : issuer",
      replace: "issuer.endsWith(\"/\") ? issuer.slice(0, -1) : issuer",
      title: "of the issuer "
    },
    {
      name: "a-resource-beside-the-server-is-taken",
      promise: 6,
      test: "packages/oauth/test/client/discovery.test.ts",
      find: "nameOf(parsed) === nameOf(wanted)",
      replace: "nameOf(wanted).startsWith(nameOf(parsed))",
      title: "about "
    },
    {
      name: "a-redirect-leads-to-a-private-address",
      promise: 6,
      test: "packages/oauth/test/client/discovery.test.ts",
      find: "Effect.flatMap(url(target?.href ?? location), (next) => follow(next, left - 1))",
      replace: "follow(target ?? start, left - 1)",
      title: "are not followed to a private address"
    },
    {
      name: "a-fault-forgets-the-tokens",
      promise: 9,
      test: "packages/oauth/test/client/tokens.test.ts",
      find: `isOfAnother(reason)) return Effect.fail(error)`,
      replace: `isOfAnother(reason)) return Effect.andThen(kept.remove, Effect.fail(error))`,
      title: "by "
    },
    {
      name: "each-client-of-a-store-refreshes",
      promise: 7,
      test: "packages/oauth/test/client/Session.test.ts",
      find: "const stored = yield* ours",
      replace: "const stored = ready?.tokens ?? (yield* ours)",
      title: "a hundred calls of two clients"
    },
    {
      name: "a-stream-asks-a-person",
      promise: 12,
      test: "packages/oauth/test/client/Session.test.ts",
      find: `mayAsk: request.method === "POST"`,
      replace: "mayAsk: true",
      title: "a request that is no POST asks nobody"
    },
    {
      name: "a-step-up-forgets-earlier-scopes",
      promise: 9,
      test: "packages/oauth/test/client/Session.test.ts",
      find: "...used?.scopes ?? [], ...missing",
      replace: "...missing",
      title: "for want of scopes is given a token"
    },
    {
      name: "a-stored-token-that-is-refused-counts-as-new",
      promise: 9,
      test: "packages/oauth/test/client/Session.test.ts",
      find: `tried.token === "none" ? "found" : "new"`,
      replace: `tried.token === "none" ? "new" : "new"`,
      title: "tokens that somebody else has stored meanwhile"
    },
    {
      name: "what-was-asked-in-vain-is-asked-again",
      promise: 9,
      test: "packages/oauth/test/client/Session.test.ts",
      find: "isSame(ready?.tokens, used) && missing.every((one) => ready?.asked?.includes(one))",
      replace: "false",
      title: "for want of scopes that are never granted"
    },
    {
      name: "tokens-that-were-not-stored-are-forgotten",
      promise: 9,
      test: "packages/oauth/test/client/Session.test.ts",
      find: "unsaved = { tokens, before: found }",
      replace: "unsaved = undefined",
      title: "tokens that a store has not taken"
    },
    {
      name: "the-page-of-a-proxy-ends-a-login",
      promise: 9,
      test: "packages/oauth/test/client/Session.test.ts",
      find: "if (reason._tag !== \"Refused\" || isOfAnother(reason)) return",
      replace: "if (reason._tag !== \"Refused\") return",
      title: "a refresh that is answered with the page of a proxy"
    },
    {
      name: "secrets-come-back-in-errors",
      promise: 15,
      test: "packages/oauth/test/client/Session.test.ts",
      find: "text.replaceAll(secret, \"…\")",
      replace: "text",
      title: "a server that repeats secrets in its errors"
    },
    {
      name: "tokens-of-somebody-else-are-overwritten",
      promise: 9,
      test: "packages/oauth/test/client/Session.test.ts",
      find: "if (isSame(tokens, own.before)) return written(own.tokens)",
      replace: "return written(own.tokens)",
      title: "tokens that were not stored give way"
    }
  ]
} satisfies Mutants
