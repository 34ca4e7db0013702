import type { Mutants } from "../../../tools/mutants/Mutant.ts"

/** What errors of calls say. */
export default {
  file: "packages/peer/src",
  test: "packages/peer/test/Framings.test.ts",
  mutants: [
    {
      name: "a-timeout-at-a-silent-side-keeps-the-framing-to-itself",
      promise: 7,
      title: "a timeout at a side that has said nothing names the framing",
      find: `this.traffic.silentFraming = framingOf(this.#transport)?.name`,
      replace: ``
    },
    {
      name: "a-timeout-blames-the-framing-of-a-side-that-speaks",
      promise: 7,
      title: "a timeout at a side that has said something does not",
      find: `this.#lane.traffic.silentFraming = undefined`,
      replace: ``
    },
    {
      name: "a-reconnecting-caller-tries-again-what-cannot-be-understood",
      promise: 14,
      title: "a reconnecting caller whose dialect frames texts otherwise ends",
      find: `onDefect: (cause) => end({ _tag: "Open", cause })`,
      replace: `onDefect: () => {}`
    },
    {
      name: "errors-have-the-number-of-a-call-for-its-id",
      promise: 7,
      test: "packages/peer/test/ErrorTexts.test.ts",
      title: "as it is on the wire",
      find: `return { method: call.method, id: this.idOf(call) }`,
      replace: `return { method: call.method, id: call.id }`
    },
    {
      name: "a-call-that-waits-is-not-told-why",
      promise: 9,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "the time that a call waits for a connection is its own",
      find: `this.last === undefined ? {} : { attempt: describe(this.last) }`,
      replace: `{}`
    },
    {
      name: "nobody-hears-of-a-client-of-another-protocol",
      promise: 6,
      test: "packages/peer/test/ErrorDetails.test.ts",
      title: "is that a client speaks another protocol",
      find: `reason._tag === "LostPlace" || reason._tag === "ForeignProtocol"`,
      replace: `reason._tag === "LostPlace"`
    }
  ]
} satisfies Mutants
