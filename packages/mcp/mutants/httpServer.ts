import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp/test/http-server/sessions.test.ts",
  mutants: [
    {
      name: "a-session-outlives-the-deadline-of-its-host",
      promise: 19,
      test: "packages/mcp/test/http-server/closing.test.ts",
      find: "session.keepAlive.fork(sessions.close)",
      replace: "session.keepAlive.fork(sessions.drained)",
      title: "tells each call of a session"
    },
    {
      name: "a-call-without-a-session-outlives-the-deadline-of-its-host",
      promise: 19,
      test: "packages/mcp/test/http-server/closing.test.ts",
      find: "overstaying, onDraining: responder.onDraining }",
      replace: "overstaying, onDraining: undefined }",
      title: "tells each modern call"
    },
    {
      name: "a-stream-that-is-forwarded-breaks-off-at-the-deadline",
      promise: 19,
      test: "packages/mcp/test/nodes/planned.test.ts",
      find: "progress.isStarted ? streamed : RequestRules.shuttingDown",
      replace: "RequestRules.shuttingDown",
      title: "ends streams that it forwards"
    },
    {
      name: "the-name-of-a-user-whom-a-host-has-found-does-not-travel",
      promise: 23,
      test: "packages/mcp/test/nodes/hosted.test.ts",
      find: "this.#declared ?? (principal.mapUnsafe.size === 0 ? undefined : ownKeys)",
      replace: "this.#declared",
      title: "belongs to the user on all nodes"
    },
    {
      name: "each-event-that-cannot-be-kept-is-a-line-of-the-log",
      promise: 5,
      test: "packages/mcp/test/http-server/events.test.ts",
      find: "const bounded = BoundedLog.make((untold) => `; ${untold} more such lines were left out`)",
      replace: "const bounded = (write: (others: string) => Effect.Effect<void>) => write(\"\")",
      title: "fill no log"
    },
    {
      name: "changes-are-journaled-for-clients-that-read-nothing",
      promise: 17,
      test: "packages/mcp/test/nodes/skew.test.ts",
      find: `return this.#options.isRead?.() !== false`,
      replace: `return true`,
      title: "costs a journal nothing"
    },
    {
      name: "a-client-that-reads-again-hears-nothing-of-before",
      promise: 11,
      test: "packages/mcp/test/nodes/skew.test.ts",
      find: "this.#onResumed?.()",
      replace: "",
      title: "costs a journal nothing"
    },
    {
      name: "lists-of-another-process-are-taken-for-the-same",
      promise: 11,
      test: "packages/mcp/test/nodes/skew.test.ts",
      find: "if (lists[list] !== own[list]) watcher.mark({ list })",
      replace: "",
      title: "hears that lists have changed"
    },
    {
      name: "many-questions-hide-a-call-that-works",
      promise: 17,
      test: "packages/mcp/test/http-server/unanswered.test.ts",
      find: "this.conversation.running() > this.#asking.size",
      replace: "this.conversation.running() > this.conversation.waiting()",
      title: "keeps a call that works"
    },
    {
      name: "a-call-whose-events-are-gone-waits-on",
      promise: 7,
      test: "packages/mcp/test/http-server/resumption/gaps.test.ts",
      find: "return id === undefined ? gone : {",
      replace: "return id !== undefined ? gone : {",
      title: "has the call that waits for it ended"
    },
    {
      name: "a-made-up-event-reads-all-that-is-kept",
      promise: 17,
      test: "packages/mcp/test/http-server/resumption/gaps.test.ts",
      find: "streamAt(first.text) !== stream ? nothing : rest",
      replace: "streamAt(first.text) !== stream ? rest : rest",
      title: "with an id that nobody was given"
    },
    {
      name: "all-who-come-back-read-at-once",
      promise: 17,
      test: "packages/mcp/test/http-server/resumption/gaps.test.ts",
      find: "#reading = Semaphore.makeUnsafe(atOnce)",
      replace: "#reading = Semaphore.makeUnsafe(16)",
      title: "together with many others"
    },
    {
      name: "what-asks-nobody-lives-for-ever",
      promise: 17,
      test: "packages/mcp/test/http-server/unanswered.test.ts",
      find: "this.conversation.running() > this.#asking.size",
      replace: "this.conversation.running() > 0",
      title: "is over in time when the client has gone"
    },
    {
      name: "what-was-missed-is-lost",
      promise: 11,
      test: "packages/mcp/test/http-server/resumption/resuming.test.ts",
      find: `opening + events.map(EventStream.encodeFields).join("")`,
      replace: "opening",
      title: "bring every text exactly once, in order"
    },
    {
      name: "every-page-may-call",
      promise: 6,
      test: "packages/mcp/test/http-server/modern.test.ts",
      find: `access: { ...options.access, origins: options.access?.origins ?? "loopback" }`,
      replace: `access: { origins: "any", ...options.access }`,
      title: "is this machine where nothing else is said"
    },
    {
      name: "a-session-is-anybodys",
      promise: 9,
      find: "session.isEnded || session.principal !== principal",
      replace: "session.isEnded",
      title: "belongs to who began it"
    },
    {
      name: "a-stored-session-is-anybodys",
      promise: 9,
      test: "packages/mcp/test/http-server/takeover.test.ts",
      find: "begin({ id, principal, record }, requester)",
      replace: "begin({ id, principal: undefined, record }, requester)",
      title: "gives a session to nobody but who began it"
    },
    {
      name: "processes-ask-with-the-same-ids",
      promise: 7,
      test: "packages/mcp/test/http-server/storedSessions.test.ts",
      find: "readonly #mark = crypto.randomUUID()",
      replace: `readonly #mark = "question"`,
      title: "is never taken for the answer to a question of this one"
    },
    {
      name: "an-answer-elsewhere-ends-the-session",
      promise: 14,
      test: "packages/mcp/test/http-server/storedSessions.test.ts",
      find: `409, replies.invalidRequest(`,
      replace: `404, replies.invalidRequest(`,
      title: "is refused, says so"
    },
    {
      name: "a-deleted-session-is-kept",
      promise: 9,
      test: "packages/mcp/test/http-server/slowStores.test.ts",
      find: "writing.withPermit(removed)",
      replace: "removed",
      title: "a session that is deleted is not written to it again"
    },
    {
      name: "what-ran-on-is-counted-for-ever",
      promise: 17,
      find: "return () => count(-weight)",
      replace: "return () => count(0)",
      title: "hold nothing when they have ended"
    },
    {
      name: "a-client-that-leaves-ends-its-call",
      promise: 8,
      test: "packages/mcp/test/http-server/hosts.test.ts",
      find: "stream?.abandon()",
      replace: "void fiber.interruptUnsafe()",
      title: "goes on with what a legacy client has asked that takes JSON alone, too"
    },
    {
      name: "every-revision-has-batches",
      promise: 5,
      find: "session.connection.codec()?.features.batches !== true",
      replace: "session.connection.codec() === undefined",
      title: "takes batches where its revision has them"
    },
    {
      name: "an-emptied-journal-gives-ids-again",
      promise: 18,
      test: "packages/mcp/test/http-server/events.test.ts",
      find: "place !== undefined && place > this.#place",
      replace: "place !== undefined",
      title: "are missed by who comes back with an id of before their journal was emptied"
    },
    {
      name: "the-caller-is-that-of-another-request",
      promise: 6,
      test: "packages/mcp/test/identity/bringer.test.ts",
      find: "session.conversation.outcome(posted.decoded, stream, bringer(handshake, stream))",
      replace:
        "session.conversation.outcome(posted.decoded, stream, Object.assign((session as any).last ??= {}, bringer(handshake, stream)))",
      title: "is who brought it, also where another request has the same id"
    },
    {
      name: "a-notification-ends-with-its-client",
      promise: 8,
      test: "packages/mcp/test/identity/bringer.test.ts",
      find: "if (fiber.pollUnsafe() === undefined) onShut = sessions.leave(session, posted.weight)",
      replace: "fiber.interruptUnsafe()",
      title: "of a session is heard to its end"
    },
    {
      name: "notifications-without-a-session-are-not-heard",
      promise: 20,
      test: "packages/mcp/test/identity/bringer.test.ts",
      find: "if (first === undefined && !isHeard) return",
      replace: "if (first === undefined) return",
      title: "is heard where there are no sessions"
    },
    {
      name: "what-overstays-counts-for-nothing",
      promise: 17,
      test: "packages/mcp/test/identity/bringer.test.ts",
      find: "if (this.#rest === undefined) this.#close()",
      replace: "this.#close()",
      title: "counts until its handler has ended"
    },
    {
      name: "a-client-without-a-session-is-promised-changes",
      promise: 23,
      test: "packages/mcp/test/http-server/sessions.test.ts",
      find: "connection.isLasting ? all : withoutChanges(all)",
      replace: "all",
      title: "is not needed where the server keeps none"
    }
  ]
} satisfies Mutants
