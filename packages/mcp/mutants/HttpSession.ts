import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/httpServer/HttpSession.ts",
  test: "packages/mcp/test/http-server/unanswered.test.ts",
  mutants: [
    {
      name: "what-asks-nobody-lives-for-ever",
      promise: 17,
      find: `this.conversation.running() > this.conversation.waiting()`,
      replace: `this.conversation.running() > 0`,
      title: "is over in time when the client has gone"
    },
    {
      name: "who-reads-is-not-there",
      promise: 9,
      find: `this.streams > 0 || `,
      replace: ``,
      title: "goes on for as long as the client reads"
    }
  ]
} satisfies Mutants
