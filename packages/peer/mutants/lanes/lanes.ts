import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** The ways that texts go: the stream of a connection, posts, answers that are collected. */
export default {
  file: "packages/peer/src/internal/lanes",
  test: "packages/peer/test/Ends.test.ts",
  mutants: [
    {
      name: "a-text-that-stands-alone-outlives-the-deadline-of-its-host",
      promise: 19,
      test: "packages/peer/test/Alone.test.ts",
      find: `step === "over" ? conversation.overstay() : conversation.shutDown()`,
      replace: `conversation.shutDown()`
    },
    {
      name: "a-call-does-not-show-what-its-post-brought",
      promise: 7,
      test: "packages/node/test/badFrames/client.test.ts",
      find: `rule, ...(excerpt !== undefined && { excerpt })`,
      replace: `rule, ...(excerpt === undefined && { excerpt: "" })`
    },
    {
      name: "a-stream-beside-the-posts-ends-no-call",
      promise: 7,
      test: "packages/peer/test/posts/Asked.test.ts",
      find: `override get awaited(): undefined { return undefined }`,
      replace: `override get awaited(): any { return 0 }`
    },
    {
      name: "a-post-that-ends-without-a-response-is-not-noticed",
      promise: 7,
      test: "packages/peer/test/posts/Exchange.test.ts",
      title: "by ",
      find: `if (ours.isWaiting(call)) ours.fail(call, this.#failureOf(exit, ours.named(call)))`,
      replace: ``
    },
    {
      name: "a-post-goes-on-when-its-call-is-over",
      promise: 8,
      test: "packages/peer/test/posts/Exchange.test.ts",
      find: `if (!isAnswered(outcome)) return this.interrupt()`,
      replace: ``
    },
    {
      name: "members-that-go-out-one-by-one-share-a-post",
      promise: 8,
      test: "packages/peer/test/posts/Exchange.test.ts",
      find: `call(() => new PostLane(posts, context, within === undefined ? "call" : "nested"))`,
      replace: `((lane) => call(() => lane))(new PostLane(posts, context, within === undefined ? "call" : "nested"))`
    },
    {
      name: "a-post-never-ends-behind-the-response",
      promise: 8,
      test: "packages/peer/test/posts/Exchange.test.ts",
      title: "an exchange that goes on behind the response",
      find: `queueMicrotask(() => this.#linger())`,
      replace: ``
    },
    {
      name: "a-cancelled-post-is-not-told-of",
      promise: 8,
      test: "packages/peer/test/posts/Asked.test.ts",
      find: `conversation.cancel(call, new PostLane(this.posts, this.#context, this.#share))`,
      replace: `void call`
    },
    {
      name: "an-interrupted-answer-does-not-wait-for-its-handlers",
      promise: 8,
      test: "packages/peer/test/regression/router.test.ts",
      title: "waits for its handlers when it is interrupted",
      find: `if (this.#running === 0) return resume(Effect.void)`,
      replace: `return resume(Effect.void)`
    },
    {
      name: "closing-leaves-the-posts",
      promise: 9,
      test: "packages/peer/test/posts/Exchange.test.ts",
      find: `for (const lane of posts.live.all()) lane.interrupt()`,
      replace: ``
    },
    {
      name: "a-lane-outlives-its-answer",
      promise: 9,
      test: "packages/peer/test/Lanes.test.ts",
      find: `this.#close() if (this.#isGivenUp)`,
      replace: `return; if (this.#isGivenUp)`
    },
    {
      name: "what-comes-behind-the-answer-is-sent",
      promise: 9,
      test: "packages/peer/test/OneWay.test.ts",
      title: "what comes behind the answer is not sent",
      find: `this.traffic.isClosed = true`,
      replace: ``
    },
    {
      name: "a-transport-that-throws-is-read-no-more",
      promise: 9,
      test: "packages/peer/test/Reading.test.ts",
      find: `return void this.#onRead(Exit.die(defect))`,
      replace: `return undefined`
    },
    {
      name: "calls-behind-a-pause-outlive-the-connection",
      promise: 9,
      test: "packages/peer/test/regression/streams.test.ts",
      find: `if (!this.isBehind) this.#conversation.endCalls()`,
      replace: `if (this.isBehind) this.#conversation.endCalls()`
    },
    {
      name: "the-other-side-waits-for-a-whole-chunk",
      promise: 12,
      test: "packages/peer/test/Reading.test.ts",
      title: "writes what the first half of much had to say before it takes the second",
      find: `chunk.length >> 1`,
      replace: `chunk.length << 1`
    },
    {
      name: "reading-takes-a-fiber",
      promise: 12,
      test: "packages/peer/test/Reading.test.ts",
      title: "reads and writes without a fiber where its transport needs none",
      find: `Direct.takeOf(transport) ?? `,
      replace: ``
    },
    {
      name: "texts-without-end-are-read-without-end",
      promise: 12,
      test: "packages/peer/test/Reading.test.ts",
      find: `this.#turn++`,
      replace: `this.#turn = 1`
    },
    {
      name: "cancels-behind-a-full-inbox-wait",
      promise: 12,
      test: "packages/peer/test/regression/inbox.test.ts",
      title: "promise 12: the receive loop waits for nothing but the transport: a cancel is read behind what",
      find: `this.#chunks.push(this.#withoutCancels(exit.value))`,
      replace: `this.#chunks.push(exit.value)`
    },
    {
      name: "cancels-in-the-chunk-of-a-full-inbox-wait",
      promise: 12,
      test: "packages/peer/test/regression/inbox.test.ts",
      title: "promise 12: the receive loop waits for nothing but the transport: a cancel is read behind what",
      find: `...this.#withoutCancels(rest)`,
      replace: `...rest`
    },
    {
      name: "an-exchange-does-not-know-its-replies",
      promise: 12,
      test: "packages/peer/test/posts/Asked.test.ts",
      title:
        "promise 12: the receive loop waits for nothing but the transport: its exchange knows what must not wait behind calls",
      find: `share === "reply" ? share : this.#share`,
      replace: `this.#share`
    },
    {
      name: "an-exchange-does-not-know-what-handlers-call",
      promise: 12,
      test: "packages/peer/test/posts/Asked.test.ts",
      title:
        "promise 12: the receive loop waits for nothing but the transport: its exchange knows what must not wait behind calls",
      find: `within === undefined ? "call" : "nested"`,
      replace: `"call"`
    },
    {
      name: "a-call-within-a-post-is-of-its-share",
      promise: 12,
      test: "packages/peer/test/posts/Asked.test.ts",
      title:
        "promise 12: the receive loop waits for nothing but the transport: its exchange knows what must not wait behind calls",
      find: `Context.get(context, Share) === share ? context`,
      replace: `share === "call" ? context`
    },
    {
      name: "a-post-is-given-up-while-its-text-waits-for-room",
      promise: 17,
      test: "packages/peer/test/posts/Asked.test.ts",
      title: "promise 17: nothing is dropped in silence: a text that waits for room outlasts the call of its post",
      find: `if (!this.#isHolding) this.#expireIn(linger)`,
      replace: `this.#expireIn(linger)`
    },
    {
      name: "a-post-whose-text-waited-for-room-never-ends",
      promise: 8,
      test: "packages/peer/test/posts/Asked.test.ts",
      title: "promise 17: nothing is dropped in silence: a text that waits for room outlasts the call of its post",
      find: `Effect.sync(() => this.#hold(false))`,
      replace: `Effect.void`
    },
    {
      name: "replies-that-are-not-taken-hold-back-nothing",
      promise: 17,
      test: "packages/peer/test/posts/Asked.test.ts",
      title: "gives up a post of a reply that is not taken",
      find: `bounded({ replies: limits.inFlight,`,
      replace: `bounded({ replies: 10 * limits.inFlight + 1,`
    },
    {
      name: "posts-bring-what-there-is-no-room-for",
      promise: 17,
      test: "packages/peer/test/posts/Asked.test.ts",
      find: `const arrived = arrival()`,
      replace: `const arrived = reader.read(text)`
    },
    {
      name: "replies-take-the-share-of-calls",
      promise: 18,
      test: "packages/peer/test/regression/congestion.test.ts",
      find: `this.#add(reply, "reply")`,
      replace: `this.#add(reply, "call")`
    },
    {
      name: "a-pause-holds-nothing-over-posts",
      promise: 18,
      test: "packages/peer/test/posts/Exchange.test.ts",
      title: "a pause holds a stream of partial results",
      find: `this.calls.every(({ onPartialResult }) => onPartialResult === undefined)`,
      replace: `this.calls.every(({ onPartialResult }) => onPartialResult !== undefined)`
    },
    {
      name: "the-end-is-not-heard-behind-a-full-inbox",
      promise: 19,
      test: "packages/peer/test/regression/inbox.test.ts",
      find: `return this.#yield() } this.read()`,
      replace: `return this.#yield(); this.read() }`
    },
    {
      name: "shutting-down-waits-for-a-pause",
      promise: 19,
      test: "packages/peer/test/regression/streams.test.ts",
      find: `room.isPaused && reason === undefined`,
      replace: `room.isPaused && reason !== undefined`
    },
    {
      name: "closing-forgets-what-waits-to-be-written",
      promise: 19,
      find: `isRead && !isSending && (this.#filling ?? this.#shared) === undefined && this.#full.length === 0`,
      replace: `isRead`
    },
    {
      name: "what-is-handed-on-still-counts-as-read-ahead",
      promise: 12,
      test: "packages/peer/test/regression/ahead.test.ts",
      find: `this.#held = undefined this.#ahead.went(received)`,
      replace: `this.#held = undefined`
    },
    {
      name: "between-two-chunks-all-is-read-ahead",
      promise: 17,
      test: "packages/peer/test/regression/ahead.test.ts",
      find: `if (this.isBehind && room.mayReadAhead`,
      replace: `if (this.isHolding && room.mayReadAhead`
    },
    {
      name: "replies-over-posts-pile-up-uncounted",
      promise: 17,
      test: "packages/peer/test/regression/overload.test.ts",
      find: `posts.traffic.replies++ budget.take(weight)`,
      replace: `posts.traffic.replies++`
    },
    {
      name: "a-flood-over-posts-ends-nothing",
      promise: 17,
      test: "packages/peer/test/regression/overload.test.ts",
      find: `conversation.host.budget.onEvict(() => end({ _tag: "Overrun" }))`,
      replace: `conversation.host.budget.onEvict(() => {})`
    },
    {
      name: "a-post-without-calls-ignores-a-pause",
      promise: 22,
      test: "packages/peer/test/regression/room.test.ts",
      find: `onPartialResult === undefined) ? this.#open : 0`,
      replace: `onPartialResult === undefined) ? 1 : 0`
    }
  ]
} satisfies Mutants
