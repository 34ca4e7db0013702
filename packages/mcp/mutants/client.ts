import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp/test/client/Negotiation.test.ts",
  mutants: [
    {
      name: "a-round-asks-as-much-as-its-server-wants",
      promise: 17,
      test: "packages/mcp/test/client/Input.test.ts",
      find: "left === 0 ? `it still asks after ${mostRounds} rounds` : excessOf(value)",
      replace: "left === 0 ? `it still asks after ${mostRounds} rounds` : undefined",
      title: "a round that asks more than 64 questions"
    },
    {
      name: "private-results-are-for-everybody",
      promise: 6,
      test: "packages/mcp/test/identity/cached.test.ts",
      find: "isPublic ? undefined : asked)",
      replace: "undefined)",
      title: "and private is given to the identity alone"
    },
    {
      name: "defaults-win",
      promise: 14,
      test: "packages/mcp/test/client/Input.test.ts",
      find: "{ ...defaultsOf(requestedSchema), ...result.content }",
      replace: "{ ...result.content, ...defaultsOf(requestedSchema) }",
      title: "an accepted form has the defaults"
    },
    {
      name: "the-revision-is-known-too-late",
      promise: 13,
      find: `        spoken = codec
`,
      replace: `        queueMicrotask(() => void setTimeout(() => { spoken = codec }, 1))
`,
      title: "a server that asks as soon as it hears"
    },
    {
      name: "silence-over-http-is-an-older-server",
      promise: 13,
      find: `if (options.transport.kind === "http") {`,
      replace: `if (options.transport.kind === "process") {`,
      title: "silence is no older server"
    },
    {
      name: "the-time-of-a-call-runs-while-a-person-thinks",
      promise: 8,
      test: "packages/mcp/test/client/Calls.test.ts",
      find: `CallClock.stopDuring(clock, answer(codec, method, params))`,
      replace: `answer(codec, method, params)`,
      title: "the time of a call stands still"
    },
    {
      name: "the-time-of-a-task-runs-while-a-person-thinks",
      promise: 8,
      test: "packages/mcp-tasks/test/client/waiting.test.ts",
      find: "CallClock.stopDuring(clock, answer(made().session.agreed().codec, asked.method, asked.params))",
      replace: "answer(made().session.agreed().codec, asked.method, asked.params)",
      title: "answers what the task asks"
    },
    {
      name: "a-server-that-shuts-down-and-stays-is-waited-for",
      promise: 7,
      test: "packages/mcp/test/client/McpStdioClient.test.ts",
      find: `["Closed", "ShuttingDown"].includes(`,
      replace: `["Closed"].includes(`,
      title: "does not wait for the end of a server that says that it shuts down"
    },
    {
      name: "what-may-have-happened-is-asked-again",
      promise: 7,
      test: "packages/mcp/test/client/McpStdioClient.test.ts",
      find: `error instanceof Disconnected && !error.sent &&`,
      replace: `error instanceof Disconnected &&`,
      title: "ends the calls that a dead server was asked"
    },
    {
      name: "a-stream-waits-for-ever-for-its-acknowledgement",
      promise: 9,
      test: "packages/mcp/test/client/Changes.test.ts",
      find: "Effect.raceFirst(open, unheard)",
      replace: "open",
      title: "a server that never acknowledges"
    },
    {
      name: "changes-pile-up",
      promise: 17,
      test: "packages/mcp/test/client/Changes.test.ts",
      find: "if (waiting.has(key)) return",
      replace: "if (waiting.has(key)) key += waiting.size",
      title: "a slow reader is told once"
    },
    {
      name: "what-does-not-fit-is-dropped-in-silence",
      promise: 17,
      test: "packages/mcp/test/client/Changes.test.ts",
      find: `waiting.set("overrun", overrun)`,
      replace: `waiting.delete("overrun")`,
      title: "a reader that is too slow"
    },
    {
      name: "only-one-code-means-legacy",
      promise: 14,
      find: `return legacy
      const offered = failures.supportedIn(error)`,
      replace:
        `return error._tag === "RemoteError" && error.code === -32601 ? legacy : Effect.fail(failures.fromLine("server/discover", error))
      const offered = failures.supportedIn(error)`,
      title: "a server that answers the probe with error "
    },
    {
      name: "initialized-is-not-said",
      promise: 9,
      find: `Effect.mapError(
          transport.notify("notifications/initialized"),
          (error) => failures.fromLine("notifications/initialized", error)
        )`,
      replace: "Effect.void",
      title: "a legacy server hears initialize"
    },
    {
      name: "a-pinned-revision-may-be-another",
      promise: 14,
      find: `failures.newest([protocolVersion], "legacy", pinned === undefined ? undefined : [pinned])`,
      replace: `failures.newest([protocolVersion], "legacy")`,
      title: "a pinned legacy revision"
    },
    {
      name: "a-slow-server-is-not-heard-again",
      promise: 10,
      find: "return yield* Effect.raceFirst(found, shaken)",
      replace: "return yield* initialize(options)",
      title: "a modern server that was slow to start"
    },
    {
      name: "only-one-stream-hears",
      promise: 11,
      test: "packages/mcp/test/client/Changes.test.ts",
      find: "for (const { hear } of [...entries]) hear(params)",
      replace: "[...entries][0]?.hear(params)",
      title: "a resource is subscribed to while"
    },
    {
      name: "a-stream-ends-with-the-time-of-a-call",
      promise: 21,
      test: "packages/mcp/test/client/Changes.test.ts",
      find: "{ timeout: Duration.infinity, onId }",
      replace: "{ timeout, onId }",
      title: "no time ends a stream"
    },
    {
      name: "a-state-is-kept-from-an-earlier-round",
      promise: 14,
      test: "packages/mcp/test/client/Input.test.ts",
      find: "round(Relayed.carry({ ...params, ...more }, params), left - 1)",
      replace: "round(Relayed.carry({ ...all, ...more }, params), left - 1)",
      title: "the state is left out where none came"
    },
    {
      name: "a-choice-wants-what-one-branch-wants",
      promise: 1,
      test: "packages/mcp/test/host/parameters.test.ts",
      find: "new Set([...one].filter((name) => other.has(name)))",
      replace: "new Set([...one, ...other])",
      title: "has no choice at its root, and says which members all of them want"
    },
    {
      name: "entries-of-parts-cost-nothing",
      promise: 1,
      test: "packages/mcp/test/host/parameters.test.ts",
      find: "[properties, required, all, ...choices].reduce(",
      replace: "[properties, required, ...choices].reduce(",
      title: "reads one about as often as it is long"
    },
    {
      name: "names-that-end-alike-try-each-number",
      promise: 16,
      test: "packages/mcp/test/host/names.test.ts",
      find: "const numbers = `${stem} ${digits}`",
      replace: "const numbers = plain",
      title: "are found at once, though all are one name"
    },
    {
      name: "a-failure-of-blank-texts-is-empty",
      promise: 1,
      test: "packages/mcp/test/host/ModelTools.test.ts",
      find: "isError && content.length === 0",
      replace: "isError && result.content.length === 0",
      title: "give failures as Anthropic takes them"
    },
    {
      name: "log-messages-wait-without-a-bound",
      promise: 17,
      test: "packages/mcp/test/client/Changes.test.ts",
      find: "this.#waiting.length >= mostWaiting || this.#size + size > mostCharacters",
      replace: "false",
      title: "a handler that takes its time gets them in order, and the newest of those that waited"
    },
    {
      name: "questions-wait-for-each-other",
      promise: 12,
      test: "packages/mcp/test/client/Input.test.ts",
      find: "{ concurrency: \"unbounded\" }\n      ),\n      (entries): Schema.JsonObject",
      replace: "{ concurrency: 1 }\n      ),\n      (entries): Schema.JsonObject",
      title: "the questions of a round are answered at once"
    },
    {
      name: "an-old-session-is-not-forgotten",
      promise: 9,
      test: "packages/mcp/test/client/Sessions.test.ts",
      find: "Effect.andThen(transport.settle(undefined), Negotiation.handshake(options))",
      replace: "Negotiation.handshake(options)",
      title: "it is made again once however many calls"
    },
    {
      name: "arguments-are-not-written-as-json",
      promise: 14,
      test: "packages/mcp/test/client/Calls.test.ts",
      find: "Schema.encodeUnknownResult(Schema.toCodecJson(params))",
      replace: "Schema.encodeUnknownResult(params)",
      title: "Schemas of what is no JSON"
    },
    {
      name: "progress-gives-time-without-end",
      promise: 8,
      test: "packages/mcp/test/client/CallDeadlines.test.ts",
      find: "Math.min(clock.now() + timeout, begun + most)",
      replace: "Math.max(clock.now() + timeout, begun + most)"
    },
    {
      name: "progress-gives-no-time",
      promise: 8,
      test: "packages/mcp/test/client/CallDeadlines.test.ts",
      find: "due = Math.min(clock.now() + timeout, begun + most)",
      replace: "due = begun + timeout"
    },
    {
      name: "a-deadline-passes-while-a-person-thinks",
      promise: 8,
      test: "packages/mcp/test/client/CallDeadlines.test.ts",
      find: "clock.isStopped() ? Math.max(left, pause) : left",
      replace: "clock.isStopped() ? 0 : left",
      title:
        "promise 8: an interrupted or timed-out call leaves nothing behind, when its clock stopped at the last moment"
    },
    {
      name: "progress-extends-a-call-for-ever",
      promise: 7,
      test: "packages/mcp/test/complaints/connections/timeouts.test.ts",
      find: "maxTimeout = config.maxTimeout, onId",
      replace: "maxTimeout = Duration.infinity, onId",
      title: "a call without progress times out"
    },
    {
      name: "a-result-that-cannot-be-checked-is-lost",
      promise: 14,
      test: "packages/mcp/test/schema/foreign.test.ts",
      find: "issue.isUndecided === true && !isStrict",
      replace: "issue.isUndecided === true && isStrict",
      title: "pass with one warning for the tool"
    },
    {
      name: "every-call-warns",
      promise: 14,
      test: "packages/mcp/test/schema/foreign.test.ts",
      find: "if (!unchecked.has(quoted)) {",
      replace: "if (name !== undefined) {",
      title: "pass with one warning for the tool"
    },
    {
      name: "old-revisions-have-every-output-schema",
      promise: 14,
      test: "packages/mcp/test/schema/foreign.test.ts",
      find: `features.structuredContent === "object" && schema["type"] !== "object"`,
      replace: `features.structuredContent === "object" && schema["type"] === null`,
      title: "does not check results"
    },
    {
      name: "a-client-logs-without-a-bound",
      promise: 17,
      test: "packages/mcp/test/client/Sessions.test.ts",
      find: "fork(quiet(Excerpt.line(message, 1_024)))",
      replace: "fork(Effect.logWarning(Excerpt.line(message, 1_024)))",
      title: "tools that are dropped fill no log"
    },
    {
      name: "a-list-without-end-is-lost",
      promise: 14,
      test: "packages/mcp/test/client/Lists.test.ts",
      find: "isStrict ? Effect.fail(new InvalidResult({ method, path: [\"nextCursor\"], rule }))",
      replace: "true ? Effect.fail(new InvalidResult({ method, path: [\"nextCursor\"], rule }))",
      title: "a cursor that "
    },
    {
      name: "a-page-that-repeats-itself-is-taken-again",
      promise: 14,
      test: "packages/mcp/test/client/Lists.test.ts",
      find: "cursor !== undefined && some.length > 0 && isSame(found, before)",
      replace: "cursor === undefined && isSame(found, before)",
      title: "a cursor that "
    },
    {
      name: "what-is-kept-outlives-its-change",
      promise: 14,
      test: "packages/mcp/test/uris/client.test.ts",
      find: "isPartOf(normalised(uri), normalised(whole))",
      replace: "isPartOf(uri, whole)",
      title: "what it keeps is forgotten"
    },
    {
      name: "a-server-is-taken-for-the-client-that-its-handlers-were-made-for",
      promise: 24,
      test: "packages/mcp/test/identity/upstreams.test.ts",
      find: "const context = withoutCall(made)",
      replace: "const context = made",
      title: "is not the client of the handler that has connected"
    },
    {
      name: "a-server-is-taken-for-the-client-that-it-is-connected-for",
      promise: 24,
      test: "packages/mcp/test/identity/upstreams.test.ts",
      find: "Effect.provideService(Peer.make(transport, host), Handshake.Current, undefined)",
      replace: "Peer.make(transport, host)",
      title: "is not the client of the handler that has connected"
    },
    {
      name: "a-process-is-taken-for-the-client-that-it-is-started-for",
      promise: 24,
      test: "packages/mcp/test/identity/upstreams.test.ts",
      find: "Effect.flatMap(start, (transport) => Peer.make(transport, host)), Handshake.Current, undefined",
      replace: "Effect.flatMap(start, (transport) => Peer.make(transport, host)), Handshake.Credentials, []",
      title: "is not the client of the handler that has connected"
    }
  ]
} satisfies Mutants
