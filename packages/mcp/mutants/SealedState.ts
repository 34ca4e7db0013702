import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/SealedState.ts",
  test: "packages/mcp/test/asking/SealedState.test.ts",
  mutants: [
    {
      name: "state-of-another-principal-opened",
      promise: 6,
      find: `content.principal !== (binding.principal ?? null)`,
      replace: `binding.principal !== undefined && content.principal !== binding.principal`,
      title: "refuses another principal, nobody for somebody, and somebody for nobody"
    },
    {
      name: "state-of-another-request-opened",
      promise: 6,
      find: `content.digest !== binding.digest`,
      replace: `content.digest === ""`,
      title: "refuses another request"
    },
    {
      name: "state-opened-at-the-end-of-its-life",
      promise: 21,
      find: `content.until <= (yield* Clock.currentTimeMillis)`,
      replace: `content.until < (yield* Clock.currentTimeMillis)`,
      title: "opens again and again within its life, and not when that is over"
    },
    {
      name: "state-with-two-spellings",
      promise: 6,
      find: ` || Base64Url.encode(bytes) !== body`,
      replace: ``,
      title: "refuses every other spelling of the last character"
    },
    {
      name: "state-of-any-length-looked-at",
      promise: 5,
      find: `text.length > maxBytes ? undefined : parse(text)`,
      replace: `parse(text)`,
      title: "refuses a text that is longer than it would write, before it looks at it"
    },
    {
      name: "state-of-any-length-sealed",
      promise: 5,
      find: `length > maxBytes)`,
      replace: `length > 2 * maxBytes)`,
      title: "counts what it will take before it seals, and refuses what is larger"
    },
    {
      name: "state-opened-by-the-first-key-alone",
      promise: 6,
      find: `(await this.all()).find(`,
      replace: `(await this.all()).slice(0, 1).find(`,
      title: "knows every key it is given, and seals with the first"
    },
    {
      name: "state-under-one-nonce",
      promise: 6,
      find: `globalThis.crypto.getRandomValues(new Uint8Array(nonceLength))`,
      replace: `new Uint8Array(nonceLength)`,
      title: "shows nothing of the payload, and is another text each time"
    },
    {
      name: "short-secret-taken",
      promise: 6,
      find: `text.length < minSecretLength`,
      replace: `text.length < minSecretLength - 1`,
      title: "takes no secret that is short, and no empty list of them"
    }
  ]
} satisfies Mutants
