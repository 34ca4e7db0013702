import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp-gateway/src",
  test: "packages/mcp-gateway/test/logins/logins.test.ts",
  mutants: [
    {
      name: "another-finishes-a-login",
      promise: 23,
      find: "if (who !== ticket.principal) {",
      replace: "if (who === \"\") {",
      title: "finish no login that another one has begun"
    },
    {
      name: "another-browser-goes-on-with-a-login",
      promise: 23,
      find: "if (away.journey.cookie !== shown)",
      replace: "if (shown === \"none\")",
      title: "finish no login that another one has begun"
    },
    {
      name: "users-share-the-tokens-for-a-server",
      promise: 23,
      find: "const storeOf = (principal: string, server: string) => apart(store, JSON.stringify([principal, server]))",
      replace: "const storeOf = (_: string, server: string) => apart(store, JSON.stringify([server]))",
      title: "act each with their own at each server, through refresh and revocation: "
    },
    {
      name: "the-logins-of-a-browser-share-a-cookie",
      promise: 23,
      test: "packages/mcp-gateway/test/logins/journeys.test.ts",
      find: "parley-login-${id}",
      replace: "parley-login-${id && 1}",
      title: "goes on beside another one of the same browser"
    },
    {
      name: "an-account-that-fails-stops-others",
      promise: 17,
      test: "packages/mcp-gateway/test/logins/users.test.ts",
      find: "unbroken(hasAccounts ?",
      replace: "unbroken(!hasAccounts ?",
      title: "is left alone for whom it fails, and for nobody else"
    },
    {
      name: "a-server-speaks-in-the-name-of-the-gateway",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/codes.test.ts",
      find: "ofGateway.has(code)",
      replace: "code === 0",
      title: "is an error of that server, whatever its code is: "
    }
  ]
} satisfies Mutants
