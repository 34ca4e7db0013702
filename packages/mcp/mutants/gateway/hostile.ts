import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp/test/composition/hostile/questions.test.ts",
  mutants: [
    {
      name: "question-without-the-name-of-its-server",
      promise: 23,
      find: "marked(server, { ...params, message: said(server, params.message) })",
      replace: "marked(server, params)",
      title: "says which server asks: "
    },
    {
      name: "question-forges-a-line-of-another-server",
      promise: 23,
      find: `lines.includes("\\n")`,
      replace: "false",
      title: "says which server asks: "
    },
    {
      name: "context-of-a-gateway-for-one-server",
      promise: 23,
      find: `includeContext === "thisServer" ? omit(params, "includeContext") : params`,
      replace: "params",
      title: "says which server asks: "
    },
    {
      name: "instructions-forge-a-section",
      promise: 23,
      find: String.raw`const lineEnds = /\r\n|[\r\v\f\u0085\u2028\u2029]/g`,
      replace: String.raw`const lineEnds = /\r\n|[\r\v\f\u0085\u2028]/g`,
      title: "forge no section of another"
    },
    {
      name: "server-offers-any-address",
      promise: 23,
      find: "if (!isOfferable(ask.url))",
      replace: "if (ask.url === \"\")",
      test: "packages/mcp/test/questions/direct.test.ts",
      title: "asks nobody to open an address that is neither https nor of this machine"
    },
    {
      name: "client-opens-any-address",
      promise: 23,
      find: `if (!isOfferable(asked.url)) return refuse`,
      replace: "if (asked.url === \"\") return refuse",
      test: "packages/mcp/test/client/Input.test.ts",
      title: "an address is refused before its handler sees it"
    },
    {
      name: "error-of-a-server-behind-offers-any-address",
      promise: 23,
      find: "McpError.urlsOf(failure).some((url) => !isOfferable(url))",
      replace: "McpError.urlsOf(failure).length > 9",
      title: "in such an error of a server behind has the name of the server"
    }
  ]
} satisfies Mutants
