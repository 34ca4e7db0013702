import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/httpServer/legacy.ts",
  test: "packages/mcp/test/http-server/sessions.test.ts",
  mutants: [
    {
      name: "a-client-that-leaves-ends-its-call",
      promise: 8,
      test: "packages/mcp/test/http-server/hosts.test.ts",
      find: `lane?.abandon()`,
      replace: `void fiber.interruptUnsafe()`,
      title: "goes on with what a legacy client has asked that takes JSON alone, too"
    },
    {
      name: "a-session-that-is-over-is-a-bad-request",
      promise: 9,
      find: `session ?? replies.error(404, unknownSession, request?.id)`,
      replace: `session ?? replies.error(400, unknownSession, request?.id)`,
      title: "has to be named by every request behind it"
    },
    {
      name: "every-revision-has-batches",
      promise: 5,
      find: `session.connection.wire()?.traits.batches !== true`,
      replace: `session.connection.wire() === undefined`,
      title: "takes batches where its revision has them"
    },
    {
      name: "a-long-call-has-no-stream-to-come-back-to",
      promise: 9,
      test: "packages/mcp/test/http-server/streams.test.ts",
      find: `if (waits !== undefined) pulse.add(waits.start)`,
      replace: ``,
      title: "begins when the call takes long, so that its client can come back"
    },
    {
      name: "a-failed-handshake-leaves-a-session",
      promise: 9,
      find: `if (session.connection.wire() === undefined) {`,
      replace: `if (session.isEnded) {`,
      title: "begins with initialize, and is named by visible ASCII"
    }
  ]
} satisfies Mutants
