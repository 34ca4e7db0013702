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
    }
  ]
} satisfies Mutants
