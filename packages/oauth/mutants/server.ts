import type { Mutants } from "../../../tools/mutants/Mutant.ts"

const jwt = "packages/oauth/test/server/JwtVerifier.test.ts"
const resource = "packages/oauth/test/server/ResourceServer.test.ts"
const proof = "packages/oauth/test/server/ProofVerifier.test.ts"
const introspection = "packages/oauth/test/server/IntrospectionVerifier.test.ts"
const scopes = "packages/mcp/test/auth/server/scopes.test.ts"

export default {
  file: "packages/oauth/src",
  test: jwt,
  mutants: [
    {
      name: "a-check-that-nobody-waits-for-keeps-its-turn",
      promise: 17,
      test: "packages/oauth/test/server/places.test.ts",
      find: "restore(this.#take(party))",
      replace: "this.#take(party)",
      title: "ends when its client leaves"
    },
    {
      name: "places-are-handed-on-one-within-the-other",
      promise: 17,
      test: "packages/oauth/test/server/places.test.ts",
      find: "if (this.#isGiving) return",
      replace: "",
      title: "has its place from the first"
    },
    {
      name: "tokens-for-others-are-taken",
      promise: 6,
      test: resource,
      find: "!token.audience.some((one) => audiences.has(one))",
      replace: "!token.audience.some((one) => audiences.has(one) || one.startsWith(url.origin))",
      title: "takes tokens for itself alone"
    },
    {
      name: "a-token-without-an-audience-is-for-everybody",
      promise: 6,
      test: resource,
      find: "!token.audience.some((one) => audiences.has(one))",
      replace: "token.audience.length > 0 && !token.audience.some((one) => audiences.has(one))",
      title: "takes tokens for itself alone"
    },
    {
      name: "issuers-are-compared-as-urls",
      promise: 6,
      find: "iss === undefined ? !isAsked : iss !== issuer",
      replace: "iss === undefined ? !isAsked : new URL(iss).href !== new URL(issuer).href",
      title: "is refused where a claim is wrong or missing"
    },
    {
      name: "metadata-of-any-issuer-name-the-keys",
      promise: 6,
      find: "Option.isSome(metadata) && metadata.value.issuer === issuer",
      replace: "Option.isSome(metadata)",
      title: "are not taken from whatever answers"
    },
    {
      name: "the-token-chooses-its-algorithm",
      promise: 6,
      find: `typeof alg !== "string" || !algorithms.includes(alg)`,
      replace: `typeof alg !== "string"`,
      title: "may be signed with any algorithm that has a key pair, or only with those that are allowed"
    },
    {
      name: "proofs-pass-for-tokens",
      promise: 6,
      find: `const types = ["", "jwt", "at+jwt"]`,
      replace: `const types = ["", "jwt", "at+jwt", "dpop+jwt"]`,
      title: "is refused with a signature of somebody else"
    },
    {
      name: "a-remembered-token-lives-on",
      promise: 6,
      find: "isOver(token.expiresAt, now, tolerance) ? Effect.fail(expired) : Effect.succeed(token)",
      replace: "isOver(token.expiresAt, now, Infinity) ? Effect.fail(expired) : Effect.succeed(token)",
      title: "is refused when its time is over, also where its check is remembered"
    },
    {
      name: "a-client-is-named-as-a-user",
      promise: 6,
      test: resource,
      find: "subject === clientId ? `client ${issuer} ${subject}` : `${issuer} ${subject}`",
      replace: "`${issuer} ${subject}`",
      title: "names users and clients apart"
    },
    {
      name: "principals-have-no-issuer",
      promise: 6,
      test: resource,
      find: "subject === clientId ? `client ${issuer} ${subject}` : `${issuer} ${subject}`",
      replace: "subject === clientId ? `client ${subject}` : subject",
      title: "names users and clients apart"
    },
    {
      name: "one-principal-fills-the-memory-of-proofs",
      promise: 6,
      test: proof,
      find: "if (free <= 0 || this.#of(party) > free)",
      replace: "if (free <= 0)",
      title: "is taken from others when one principal has used its share"
    },
    {
      name: "each-key-has-a-share-of-the-memory-of-proofs",
      promise: 6,
      test: proof,
      find: "replays.take(`${thumbprint}.${jti}`, principal, now)",
      replace: "replays.take(`${thumbprint}.${jti}`, thumbprint, now)",
      title: "is taken from others when one principal has used its share"
    },
    {
      name: "one-principal-displaces-the-tokens-of-others",
      promise: 6,
      test: introspection,
      find: "party.size > bounds.rememberedOfOne",
      replace: "party.size > bounds.rememberedTokens",
      title: "is remembered for other principals"
    },
    {
      name: "checks-wait-in-one-queue",
      promise: 6,
      test: introspection,
      find: "restore(this.#take(party))",
      replace: "restore(this.#take(undefined))",
      title: "of a valid token waits for two of a thousand invented ones, "
    },
    {
      name: "clients-of-a-proxy-wait-in-one-queue",
      promise: 6,
      test: introspection,
      find: "Effect.provideService(authorize(head), Party, clientOf(head).network)",
      replace: "authorize(head)",
      title: "of a valid token waits for two of a thousand invented ones, "
    },
    {
      name: "everybody-can-have-keys-fetched",
      promise: 6,
      find: "(yield* Clock.currentTimeMillis) >= nextAt",
      replace: "true",
      title: "are fetched again for a key that is not known"
    },
    {
      name: "a-stolen-token-needs-no-key",
      promise: 6,
      test: resource,
      find: `if (keyThumbprint !== undefined) return Effect.fail(TokenVerifier.refused("Bound"))`,
      replace:
        `if (keyThumbprint !== undefined && proofs !== undefined) return Effect.fail(TokenVerifier.refused("Bound"))`,
      title: "refuses a token that is bound to a key"
    },
    {
      name: "any-key-proves",
      promise: 6,
      test: proof,
      find: "key === undefined || key.thumbprint !== thumbprint",
      replace: "key === undefined",
      title: "is of this method, URL and token"
    },
    {
      name: "a-proof-is-forgotten-while-it-is-young",
      promise: 6,
      test: proof,
      find: "maxAge + 2 * tolerance",
      replace: "maxAge",
      title: "is taken once"
    },
    {
      name: "handlers-get-the-token",
      promise: 6,
      test: scopes,
      find: "Context.add(Handshake.Credentials, credentialHeaders)",
      replace: "Context.add(Handshake.Credentials, [])",
      title: "tells a handler who calls, and keeps the token from it"
    },
    {
      name: "a-client-loses-the-scopes-that-it-has",
      promise: 6,
      test: scopes,
      find: "...[...granted].filter((scope) => supported.has(scope)), ...required, ...needed",
      replace: "...required, ...needed",
      title: "may depend on the arguments"
    },
    {
      name: "a-session-belongs-to-its-first-caller",
      promise: 8,
      test: "packages/mcp/test/client/Sessions.test.ts",
      find:
        "return Effect.andThen(Effect.forkIn(Effect.exit(run), scope, { startImmediately: true }), Deferred.await(made))",
      replace: "return run as Effect.Effect<any, never>",
      title: "a call that is interrupted while a session"
    },
    {
      name: "an-issuer-that-is-away-is-asked-for-each-token",
      promise: 17,
      test: "packages/oauth/test/server/JwtVerifier.test.ts",
      find: "return failure !== undefined && now < againAt ?",
      replace: "return failure !== undefined && now < 0 ?",
      title: "are asked for once a second where there are none"
    }
  ]
} satisfies Mutants
