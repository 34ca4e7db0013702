import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp/test/nodes/failures.test.ts",
  mutants: [
    {
      name: "an-adopted-session-fences-nobody",
      promise: 9,
      find: `begin.record === undefined ? Effect.void : options.events.fence(owner)`,
      replace: `Effect.void`,
      title: "is fenced"
    },
    {
      name: "a-lost-session-goes-on",
      promise: 9,
      find: `if (session !== undefined && !session.isEnded) release(session, false)`,
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
      find: `isOurs ? change : Effect.void`,
      replace: `isOurs ? change : change`,
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
      name: "a-forwarded-request-is-of-nobody",
      promise: 23,
      test: "packages/mcp/test/nodes/sessions.test.ts",
      find: `...(principal === undefined ? undefined : { principal }), scopes`,
      replace: `scopes`,
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
      find: "holds(id) ? answer(head, text, responder, principal) : Effect.catch(",
      replace: "holds(\"\") ? answer(head, text, responder, principal) : Effect.catch(",
      title: "is taken up once for all who wait for it"
    }
  ]
} satisfies Mutants
