import type { Mutants } from "../../../tools/mutants/Mutant.ts"

/** The parts of a side: the router that they serve, the scope of a call, and who has logged in. */
export default {
  file: "packages/peer/src",
  test: "packages/peer/test/regression/routers.test.ts",
  mutants: [
    {
      name: "a-client-serves-the-router-that-it-finds",
      promise: 23,
      find: `Effect.flatMap(Transport, (transport) => make(transport, options))`,
      replace:
        `Effect.flatMap(Effect.all([Transport, Effect.serviceOption(Router)]), ([transport, found]) => make(transport, { router: found._tag === "Some" ? found.value : undefined, ...options }))`
    },
    {
      name: "a-client-that-reconnects-serves-the-router-that-it-finds",
      promise: 23,
      find: `Peer.make(connected, { ...peer, start: "manual" })`,
      replace:
        `Peer.make(connected, { router: (yield* Effect.context()).mapUnsafe.get("@parley/peer/Router"), ...peer })`
    },
    {
      name: "what-is-found-goes-before-what-is-given",
      promise: 23,
      find: `Effect.flatMap(Transport, (transport) => make(transport, options))`,
      replace:
        `Effect.flatMap(Effect.all([Transport, Effect.serviceOption(Router)]), ([transport, found]) => make(transport, found._tag === "Some" && options.router !== undefined ? { ...options, router: found.value } : options))`
    },
    {
      name: "two-routers-share-handlers",
      promise: 23,
      find: `Layer.fresh(Layer.provideMerge(handlers, Layer.effect(Router, made)))`,
      replace: `Layer.provideMerge(handlers, Layer.effect(Router, made))`
    },
    {
      name: "what-a-handler-acquires-is-the-routers",
      promise: 24,
      test: "packages/peer/test/regression/releases.test.ts",
      find: `Context.add(context, Scope.Scope, scope)`,
      replace: `context`
    },
    {
      name: "what-a-failed-handler-acquired-stays",
      promise: 24,
      test: "packages/peer/test/regression/releases.test.ts",
      find: `scope.state._tag === "Empty" ? undefined : Scope.close(scope, exit)`,
      replace: `exit._tag === "Failure" ? undefined : Scope.close(scope, exit)`
    },
    {
      name: "a-call-is-answered-before-what-it-acquired-is-released",
      promise: 24,
      test: "packages/peer/test/regression/releases.test.ts",
      find: `Effect.provideContext(effect, Context.add(context, Scope.Scope, scope)), (exit) =>`,
      replace:
        `Effect.provideContext(effect, Context.add(context, Scope.Scope, scope)), (exit) => call.id !== undefined ? void setTimeout(() => Effect.runFork(Scope.close(scope, exit)), 0) :`
    },
    {
      name: "finalizers-do-not-hear-how-a-call-ended",
      promise: 24,
      test: "packages/peer/test/regression/releases.test.ts",
      find: `Scope.close(scope, exit)`,
      replace: `Scope.close(scope, exitOf(Effect.succeed(undefined)))`
    },
    {
      name: "progress-is-lost-where-nothing-comes-back",
      promise: 11,
      test: "packages/peer/test/OneWay.test.ts",
      find: `isHeard ? Progress.notify(peer, dialect.progress, params, fields) : Effect.void`,
      replace: `Effect.void`
    },
    {
      name: "a-handler-has-the-principal-of-who-added-it",
      promise: 23,
      test: "packages/middleware/test/Authentication.test.ts",
      title: "has that of the call, not of the connection in which it was added",
      find: `References.CurrentLogSpans, Handshake.Current,`,
      replace: `References.CurrentLogSpans,`
    },
    {
      name: "a-handler-logs-with-the-annotations-of-who-added-it",
      promise: 23,
      test: "packages/peer/test/regression/context.test.ts",
      title: "has the annotations and the spans of the connection",
      find: `Tracer.ParentSpan, References.CurrentLogAnnotations,`,
      replace: `Tracer.ParentSpan,`
    },
    {
      name: "a-login-is-that-of-the-connection-that-added-its-handler",
      promise: 24,
      test: "packages/middleware/test/Login.test.ts",
      title: "is not that of the connection in which its handler was added",
      find: `Handshake.Current,\n  Handshake.Holder,`,
      replace: `Handshake.Current,`
    },
    {
      name: "a-conversation-logs-in-the-connection-that-it-was-made-in",
      promise: 24,
      test: "packages/middleware/test/regression/logins.test.ts",
      title: "is not that of the connection in whose handler it came by",
      find: `this.#context = withoutHolder(context)`,
      replace: `this.#context = context`
    },
    {
      name: "a-text-logs-in-the-connection-in-which-it-is-answered",
      promise: 24,
      test: "packages/middleware/test/regression/logins.test.ts",
      title: "is not that of the connection in whose handler it came by",
      find: `Effect.runForkWith(withoutHolder(options.context))`,
      replace: `Effect.runForkWith(options.context)`
    },
    {
      name: "a-side-over-exchanges-is-taken-for-the-client-that-it-is-called-for",
      promise: 24,
      test: "packages/middleware/test/regression/logins.test.ts",
      title: "is not the client of the handler that calls it",
      find: `new Host(withoutHandshake(context), limits)`,
      replace: `new Host(context, limits)`
    },
    {
      name: "a-peer-is-taken-for-the-client-that-it-is-called-for",
      promise: 24,
      test: "packages/middleware/test/regression/logins.test.ts",
      title: "is not the client of the handler that calls it",
      find: `new Host(isWithin ? withoutHandshake(context) : context, limits)`,
      replace: `new Host(context, limits)`
    },
    {
      name: "a-reconnected-side-is-taken-for-the-client-that-it-is-called-for",
      promise: 24,
      test: "packages/middleware/test/regression/logins.test.ts",
      title: "is not the client of that request",
      find: `start: "manual" }), Handshake.Current, undefined)`,
      replace: `start: "manual" }), Handshake.Credentials, [])`
    },
    {
      name: "a-login-changes-who-calls-that-run-are-for",
      promise: 24,
      test: "packages/middleware/test/Login.test.ts",
      title: "leaves a call that runs with the principal that it started with",
      find: `const next = login === undefined ? handshake : Handshake.withLogin(handshake, login)`,
      replace:
        `const next = login === undefined ? handshake : Handshake.withLogin(handshake, login); const now = Context.get(this.#context, Handshake.Current); if (now !== undefined) Object.assign(now, next); else if (next !== undefined) this.#context = Context.add(this.#context, Handshake.Current, next)`
    },
    {
      name: "a-logout-takes-what-authorize-gave",
      promise: 24,
      test: "packages/middleware/test/Login.test.ts",
      title: "stands beside what `authorize` gave, which a logout leaves",
      find: `const next = login === undefined ? handshake : Handshake.withLogin(handshake, login)`,
      replace: `const next = login === undefined ? undefined : Handshake.withLogin(handshake, login)`
    }
  ]
} satisfies Mutants
