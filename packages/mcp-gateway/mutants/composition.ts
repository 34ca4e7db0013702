import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp-gateway/src",
  test: "packages/mcp-gateway/test/questions.test.ts",
  mutants: [
    {
      name: "lists-of-a-shared-server-are-those-of-a-caller",
      promise: 23,
      test: "packages/mcp-gateway/test/callers/sessions.test.ts",
      find: "party === undefined ? Effect.provideService(effect, Handshake.Current, undefined) : effect",
      replace: "party === null ? Effect.provideService(effect, Handshake.Current, undefined) : effect",
      title: "that all share lists what is for nobody in particular, and knows who calls: "
    },
    {
      name: "deadline-behind-a-gateway-is-no-resource",
      promise: 14,
      test: "packages/mcp-gateway/test/answers.test.ts",
      find: `return data === undefined || (JsonObject.isObject(data) && isUri(data["uri"], uri))`,
      replace: "return true",
      title: "is no resource that does not exist"
    },
    {
      name: "calls-that-may-be-asked-share",
      promise: 23,
      find: `const isOwn = (isAsking && key !== "") ||`,
      replace: "const isOwn =",
      title: "reaches no other client, however many call at once: "
    },
    {
      name: "sessions-share-a-connection",
      promise: 23,
      find: `const use: Use = { key: session, kind: "session", party }`,
      replace: `const use: Use = { key: "all", kind: "session", party }`,
      title: "reaches no other client, however many call at once: "
    },
    {
      name: "question-of-a-round-asks-the-newest-call",
      promise: 23,
      find: "fiber.getRef(Current) ?? [...this.calls].at(-1)",
      replace: "[...this.calls].at(-1)",
      title: "reaches no other client, however many call at once: "
    },
    {
      name: "connection-keeps-the-call-that-opened-it",
      promise: 23,
      find: "Effect.setContext(\n              connect({",
      replace: "Effect.provideContext(\n              connect({",
      title: "reaches no other client, however many call at once: "
    },
    {
      name: "server-hears-of-all-capabilities",
      promise: 23,
      find: "form: Capabilities.canElicitForm(capabilities)",
      replace: "form: true",
      title: "is none of what the client cannot be asked: "
    },
    {
      name: "connection-of-a-cancelled-call-used-again",
      promise: 23,
      find: `plan.use.kind === "exclusive" && !failures.isAnswered(exit)`,
      replace: "false",
      title: "a question of a call that was cancelled reaches nobody, though the server goes on with it"
    },
    {
      name: "a-connection-outlives-its-upstream",
      promise: 9,
      test: "packages/mcp-gateway/test/lifetime/dying.test.ts",
      find: "scope: Scope.forkUnsafe(this.#scope),",
      replace: "scope: Scope.makeUnsafe(),",
      title: "ends its connections, idle ones too, and the Scope waits for their end"
    },
    {
      name: "asked-call-cancelled-at-once",
      promise: 7,
      find: "if (Exit.hasInterrupts(exit) && isRetried && running.isAsking) return this.#port.calls.park(running)",
      replace: "",
      title: "goes on meanwhile, and the retry has its result"
    },
    {
      name: "cancelled-call-goes-on",
      promise: 8,
      test: "packages/mcp-gateway/test/passing.test.ts",
      find: "if (Exit.hasInterrupts(exit) && isRetried && running.isAsking)",
      replace: "if (Exit.hasInterrupts(exit))",
      title: "is cancelled on both sides: "
    },
    {
      name: "unsendable-question-as-an-error-of-ours",
      promise: 23,
      find: "return ErrorResponse.make(ErrorCode.InvalidParams, error.message)",
      replace: "return ErrorResponse.make(ErrorCode.InternalError, error.message)",
      title: "a question that cannot be sent as its server wrote it is one with invalid params"
    },
    {
      name: "dead-server-stays-in-the-lists",
      promise: 9,
      test: "packages/mcp-gateway/test/lifetime/lines.test.ts",
      find: "if (failures.isOfLine(error)) this.#suspected.openUnsafe()",
      replace: "",
      title: "is looked after when a call fails"
    },
    {
      name: "gateway-lists-itself",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/servers.test.ts",
      find: `if (Reach.isSelf(call.client.capabilities, this.identity)) return this.#leftOut`,
      replace: "",
      title: "offers nothing twice, and comes to rest: "
    },
    {
      name: "slow-lists-waited-for-again",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/names.test.ts",
      find: "if (this.#isSilent) return 0",
      replace: "",
      title: "holds up lists once for all sessions"
    },
    {
      name: "changes-not-followed-again",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/servers.test.ts",
      find: "Effect.andThen(this.follow)",
      replace: "Effect.asVoid",
      title: "is asked for them again, and its lists with them"
    },
    {
      name: "resource-not-listened-to-again",
      promise: 23,
      test: "packages/mcp-gateway/test/hostile/servers.test.ts",
      find: "Stream.retry(forward.watch(call, listed ?? uri), listeningAgain)",
      replace: "forward.watch(call, listed ?? uri)",
      title: "is listened to again when the server behind is back: "
    }
  ]
} satisfies Mutants
