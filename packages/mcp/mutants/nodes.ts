import type { Mutants } from "../../../tools/mutants/Mutant.ts"

const auth = "packages/mcp/test/identity/auth.test.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp/test/nodes/failures.test.ts",
  mutants: [
    {
      name: "a-question-waits-for-an-answer-that-is-not-kept",
      promise: 7,
      test: "packages/mcp/test/nodes/engine/answers.test.ts",
      find: "hasRoom ? during(this.#stands",
      replace: "!hasRoom ? during(this.#stands",
      title: "ends its question without it where it is too large to be kept"
    },
    {
      name: "a-stream-outlives-its-token",
      promise: 6,
      test: "packages/mcp/test/identity/expiry.test.ts",
      find: "isGeneral(name) ? untilOver(session, handshake, resumed) : resumed",
      replace: "resumed",
      title: "hears of changes until then, and no longer, over the stream"
    },
    {
      name: "a-listener-outlives-its-token",
      promise: 6,
      test: "packages/mcp/test/identity/expiry.test.ts",
      find: "Effect.andThen(sleepUntil(until), onOver)",
      replace: "Effect.void",
      title: "hears of changes until then, and no longer, by"
    },
    {
      name: "the-end-of-a-token-is-not-forwarded",
      promise: 6,
      test: "packages/mcp/test/identity/expiry.test.ts",
      find: "if (until !== undefined) read = Context.add(read, ExpiresAt, until)",
      replace: "",
      title: "hears no longer on the node"
    },
    {
      name: "a-server-that-is-away-keeps-what-is-hidden-here",
      promise: 6,
      test: "packages/mcp/test/identity/restored.test.ts",
      find: "state.server.offer.at(uri).next().done === true && ",
      replace: "",
      title: "end for resources that "
    },
    {
      name: "a-server-that-is-away-ends-restored-subscriptions",
      promise: 6,
      test: "packages/mcp/test/identity/restored.test.ts",
      find: "if (isUndecided(cause, isAway(uri))) return",
      replace: "",
      title: "is kept or forgotten where"
    },
    {
      name: "a-restored-subscription-drops-what-its-handler-has-left",
      promise: 25,
      test: "packages/mcp/test/identity/restored.test.ts",
      find: "else left.add(end)",
      replace: "",
      title: "promise 25: what waits for the end of a connection runs once, behind"
    },
    {
      name: "a-restored-subscription-drops-what-comes-late",
      promise: 25,
      test: "packages/mcp/test/identity/restored.test.ts",
      find: "if (isOver) Effect.runForkWith(context)(reported(effect))",
      replace: "if (isOver) left.clear()",
      title: "promise 25: what waits for the end of a connection runs once, behind"
    },
    {
      name: "what-is-missing-while-a-server-is-away-is-forgotten",
      promise: 6,
      test: "packages/mcp-gateway/test/answers.test.ts",
      find: "(isAway && missing.has(reason.error.code))",
      replace: "missing.size === 0",
      title: "goes on once the server behind is reached"
    },
    {
      name: "an-interrupted-check-is-not-made-again",
      promise: 6,
      test: "packages/mcp/test/identity/restored.test.ts",
      find: "Effect.forEach([...left], (uri) =>",
      replace: "Effect.forEach([...left].filter((uri) => left.delete(uri)), (uri) =>",
      title: "is asked for by the next request where"
    },
    {
      name: "a-second-request-passes-a-check-that-runs",
      promise: 6,
      test: "packages/mcp/test/identity/restored.test.ts",
      find: "oneAtATime.withPermit(all(from))",
      replace: "oneAtATime.withPermitsIfAvailable(1)(all(from))",
      title: "holds a second request until"
    },
    {
      name: "a-client-that-comes-back-often-asks-each-time",
      promise: 6,
      test: "packages/mcp/test/identity/restored.test.ts",
      find: "next = now + pause",
      replace: "next = now",
      title: "is asked for once a second"
    },
    {
      name: "restored-subscriptions-are-not-checked",
      promise: 6,
      test: "packages/mcp/test/identity/restored.test.ts",
      find: "if (isGeneral(name)) yield* session.connection.restored(bringer(handshake))",
      replace: "",
      title: "end for resources that "
    },
    {
      name: "an-answer-that-met-a-503-is-lost",
      promise: 7,
      test: "packages/mcp/test/nodes/engine/answers.test.ts",
      find: `head.method !== "POST" || !isAnswer(text)`,
      replace: `head.method !== "GET" || !isAnswer(text)`,
      title: "is held, and delivered when it can"
    },
    {
      name: "an-answer-holds-its-client-up-for-ever",
      promise: 17,
      test: "packages/mcp/test/nodes/engine/answers.test.ts",
      find: `const answersHeld = 30_000`,
      replace: `const answersHeld = 300_000_000`,
      title: "holds its client up for half a minute at most"
    },
    {
      name: "an-answer-is-dropped-when-its-client-is-told",
      promise: 7,
      test: "packages/mcp/test/nodes/engine/answers.test.ts",
      find: `const answersKept = 600_000`,
      replace: `const answersKept = 5_000`,
      title: "holds its client up for half a minute at most"
    },
    {
      name: "an-answer-leaves-with-its-client",
      promise: 7,
      test: "packages/mcp/test/nodes/engine/answers.test.ts",
      find: `Effect.forkIn(delivered, scope)`,
      replace: `Effect.forkChild(delivered)`,
      title: "is delivered also where its client has left"
    },
    {
      name: "one-party-has-all-kept-answers",
      promise: 17,
      test: "packages/mcp/test/nodes/engine/answers.test.ts",
      find: `new Shares(most.all, most.ofOne)`,
      replace: `new Shares(most.all, most.all)`,
      title: "of one party leave room"
    },
    {
      name: "a-planned-end-cuts-what-others-forward",
      promise: 19,
      test: "packages/mcp/test/nodes/planned.test.ts",
      find: `!session.isEnded && !session.isRunning) this`,
      replace: `!session.isEnded) this`,
      title: "answers the calls of its sessions that came through another node"
    },
    {
      name: "a-planned-end-forgets-the-answers-under-way",
      promise: 19,
      test: "packages/mcp/test/nodes/planned.test.ts",
      find: `sessions && Effect.andThen(sessions.drained, forwarded.idle)`,
      replace: `sessions?.drained`,
      title: "answers the calls of its sessions that came through another node"
    },
    {
      name: "an-engine-that-takes-nothing-is-full",
      promise: 15,
      test: "packages/mcp/test/nodes/engine/emptied.test.ts",
      find: `if (session === "out of reach") return replies.unready`,
      replace: `if (session === "out of reach") return full`,
      title: "since the engine takes no claim"
    },
    {
      name: "a-principal-is-half-forwarded",
      promise: 6,
      test: "packages/mcp/test/identity/nodes.test.ts",
      find: "if (Option.isSome(written)) services[key] = written.value",
      replace: "",
      title: "is the same to a handler"
    },
    {
      name: "an-undeclared-service-is-there-on-the-first-node",
      promise: 6,
      test: "packages/mcp/test/identity/nodes.test.ts",
      find: "const shown = this.shown(handshake)",
      replace: "const shown = handshake",
      title: "has no service on any node"
    },
    {
      name: "an-endpoint-opens-without-a-schema-that-handlers-need",
      promise: 6,
      test: auth,
      find: "const missing = [...server.principals()].find((key) => !declared.has(key))",
      replace: "const missing = [...declared].find((key) => key === \"\")",
      title: "keeps an endpoint from opening where `authorize` does not declare it"
    },
    {
      name: "a-notification-of-a-session-is-nobodys",
      promise: 6,
      test: auth,
      find: "posted.answered(session.conversation.answer(decoded, undefined, bringer(handshake)))",
      replace: "posted.answered(session.conversation.answer(decoded, undefined, bringer(undefined as never)))",
      title: "is that of the request which brings a notification"
    },
    {
      name: "a-server-in-memory-knows-no-caller",
      promise: 6,
      test: auth,
      find: "handshakes.set(id, handshake)",
      replace: "",
      title: "is that of the caller of the handler, call by call"
    },
    {
      name: "all-headers-go-to-other-nodes",
      promise: 6,
      test: "packages/mcp/test/identity/nodes.test.ts",
      find: `this.#headers.has(name) || (name.startsWith("mcp-") && !credentials.test(name))`,
      replace: "true",
      title: "never has credentials between nodes"
    },
    {
      name: "a-query-travels",
      promise: 6,
      test: "packages/mcp/test/identity/nodes.test.ts",
      find: "withoutQuery(head.url)",
      replace: "head.url",
      title: "never has the parameter "
    },
    {
      name: "credentials-may-be-named",
      promise: 6,
      test: "packages/mcp/test/identity/nodes.test.ts",
      find: "const credential = headers.find((name) => credentials.test(name))",
      replace: "const credential = undefined",
      title: "is not served by a node "
    },
    {
      name: "a-node-does-without-the-schema-of-its-principals",
      promise: 6,
      test: "packages/mcp/test/identity/nodes.test.ts",
      find: "if (authorize !== undefined && authorize.services === undefined) throw new TypeError(undeclared)",
      replace: "",
      title: "is not served by a node "
    },
    {
      name: "a-modern-request-goes-where-a-stale-session-was",
      promise: 6,
      test: "packages/mcp/test/identity/nodes.test.ts",
      find: "id === undefined || !isSessionId(id) || standsAlone(head, text)",
      replace: "id === undefined || !isSessionId(id)",
      title: "of a modern request is served here"
    },
    {
      name: "an-adopted-session-fences-nobody",
      promise: 9,
      find: `Effect.andThen(options.events.fence(owner), records.fence(owner))`,
      replace: `records.fence(owner)`,
      title: "is fenced"
    },
    {
      name: "a-lost-session-goes-on",
      promise: 9,
      find: `if (!session.isEnded) release(session, false)`,
      replace: ``,
      title: "is fenced"
    },
    {
      name: "a-request-of-a-dead-node-runs-again",
      promise: 9,
      find: `(error._tag === "OwnerGone" && !error.sent)`,
      replace: `error._tag === "OwnerGone"`,
      title: "is told by the node that forwarded it"
    },
    {
      name: "a-call-that-was-left-behind-never-ends",
      promise: 7,
      find: `isAdopted && Option.isSome(missed) && !missed.value.isOver`,
      replace: `isAdopted && Option.isSome(missed) && missed.value.isOver`,
      title: "is told to who comes back"
    },
    {
      name: "a-node-that-stood-still-forgets-for-all",
      promise: 9,
      find: `isOurs === true ? removal : Effect.succeed(false)`,
      replace: `isOurs ? removal : removal`,
      title: "where it went unused"
    },
    {
      name: "a-claim-ends-before-its-record",
      promise: 9,
      find: `Effect.andThen(removed, claim.release)`,
      replace: `claim.release`,
      title: "is not taken up from a store"
    },
    {
      name: "a-node-that-is-cut-off-says-that-a-session-is-over",
      promise: 9,
      test: "packages/mcp/test/nodes/fenced.test.ts",
      find: `isOurs === true ? removal : Effect.succeed(false)`,
      replace: `isOurs !== false ? removal : Effect.succeed(false)`,
      title: "is not said to be over where it is not"
    },
    {
      name: "what-a-journal-refuses-tells-nobody",
      promise: 9,
      test: "packages/mcp/test/nodes/fenced.test.ts",
      find: `Effect.sync(() => writer.onFenced())`,
      replace: `Effect.void`,
      title: "ends and is told so where the journal refuses"
    },
    {
      name: "a-stream-ends-before-its-answer",
      promise: 9,
      test: "packages/mcp/test/nodes/fenced.test.ts",
      find: `({ ended }) => ended, { discard: true }`,
      replace: `(lane) => Effect.sync(() => lane.end()), { discard: true }`,
      title: "is told its end, however long a journal takes"
    },
    {
      name: "sessions-are-removed-all-at-once",
      promise: 17,
      test: "packages/mcp/test/nodes/fenced.test.ts",
      find: `this.#removals.withPermit(writing.withPermit(removed))`,
      replace: `writing.withPermit(removed)`,
      title: "are removed from their store a few at a time"
    },
    {
      name: "an-older-owner-writes-a-session",
      promise: 9,
      test: "packages/mcp-tasks/test/server/nodes/oneLine.test.ts",
      find: `journal.append(keyOf(id), text, epoch, 1)`,
      replace: `journal.append(keyOf(id), text, 1_000, 1)`,
      title: "are refused to an owner that another has followed"
    },
    {
      name: "a-session-that-cannot-be-read-is-gone",
      promise: 9,
      test: "packages/mcp-tasks/test/server/nodes/oneLine.test.ts",
      find: `Effect.map( journal.last(keyOf(id)),`,
      replace: `Effect.map( logged(journal.last(keyOf(id)), undefined),`,
      title: "has a client come again while the journal is away"
    },
    {
      name: "a-forwarded-request-is-of-nobody",
      promise: 23,
      test: "packages/mcp/test/nodes/sessions.test.ts",
      find: `...(name === undefined ? {} : { principal: name }),`,
      replace: ``,
      title: "is known by the name of who began it"
    },
    {
      name: "changes-of-others-are-not-told-here",
      promise: 11,
      test: "packages/mcp/test/nodes/sharing.test.ts",
      find: `changes.forEach((change) => this.#watchers.mark(change))`,
      replace: `changes.forEach(() => {})`,
      title: "reach the clients of all nodes"
    },
    {
      name: "changes-echo-between-nodes",
      promise: 11,
      test: "packages/mcp/test/nodes/sharing.test.ts",
      find: `changes.forEach((change) => this.#watchers.mark(change))`,
      replace: `changes.forEach((change) => this.mark(change))`,
      title: "reach the clients of all nodes"
    },
    {
      name: "who-waits-for-a-session-does-not-see-it-come",
      promise: 7,
      test: "packages/mcp/test/nodes/failures.test.ts",
      find: "Effect.andThen(clock.sleep(pause), go)",
      replace: "Effect.andThen(clock.sleep(pause), look)",
      title: "is taken up once for all who wait for it"
    },
    {
      name: "a-server-takes-up-sessions-of-another",
      promise: 18,
      test: "packages/mcp/test/http-server/storedSessions.test.ts",
      find: "(record.server ?? this.#server) !== this.#server",
      replace: "record.server === \"\"",
      title: "is not taken over by a server of another name that has the same store"
    },
    {
      name: "a-gap-of-a-standing-stream-is-hidden",
      promise: 18,
      test: "packages/mcp/test/nodes/failures.test.ts",
      find: "stream === undefined && Option.isNone(missed) && after !== 0",
      replace: "stream === undefined && Option.isNone(missed) && after === -1",
      title: "tells who comes back for its standing stream where that has a gap"
    }
  ]
} satisfies Mutants
