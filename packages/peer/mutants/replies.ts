import type { Mutants } from "../../../tools/mutants/Mutant.ts"

/** What is answered, with what, and in which order. */
export default {
  file: "packages/peer/src/internal",
  test: "packages/peer/test/Serving.test.ts",
  mutants: [
    {
      name: "what-runs-behind-a-reply-runs-before",
      promise: 11,
      test: "packages/peer/test/Order.test.ts",
      find:
        `if (reply !== undefined) this.#add(reply, "reply") if (after !== undefined) this.conversation.theirs.runBehind(after)`,
      replace:
        `if (after !== undefined) this.conversation.theirs.runBehind(after); if (reply !== undefined) this.#add(reply, "reply")`
    },
    {
      name: "members-run-what-they-left-before-the-batch-is-answered",
      promise: 11,
      test: "packages/peer/test/Order.test.ts",
      find: `else for (const deferral of after ?? []) (this.#after ??= []).push(deferral)`,
      replace: `else if (after !== undefined) this.#conversation.theirs.runBehind(after)`
    },
    {
      name: "failures-run-what-is-for-a-success",
      promise: 11,
      test: "packages/peer/test/Order.test.ts",
      find: `#settle({ sink }: LaneCall, reply: ErrorReply | undefined): void { sink.settle(reply?.text, undefined,`,
      replace:
        `#settle({ after, sink }: LaneCall, reply: ErrorReply | undefined): void { sink.settle(reply?.text, after,`
    },
    {
      name: "answers-hide-their-error",
      promise: 14,
      test: "packages/peer/test/Alone.test.ts",
      title: "has an outcome",
      find: `this.#reply = { text: reply, error }`,
      replace: `this.#reply = { text: reply, error: undefined }`
    },
    {
      name: "replies-of-a-batch-are-joined-backwards",
      promise: 14,
      test: "packages/peer/test/Lanes.test.ts",
      find: `this.#replies.filter((reply) => reply !== undefined)`,
      replace: `this.#replies.filter((reply) => reply !== undefined).reverse()`
    },
    {
      name: "what-a-refused-reply-left-is-kept",
      promise: 8,
      test: "packages/peer/test/regression/streams.test.ts",
      title: "where its call fails, its reply finds no room in a batch",
      find: `if (!fits) this.#conversation.theirs.skip(after) else for`,
      replace: `if (fits) for`
    },
    {
      name: "bad-frames-in-all-are-counted",
      promise: 14,
      find: `isBad(decoded) ? this.#badFrames + 1 : 0`,
      replace: `isBad(decoded) ? this.#badFrames + 1 : this.#badFrames`
    },
    {
      name: "bad-frames-of-one-chunk-are-counted",
      promise: 14,
      find: `isBad(decoded) ? this.#badFrames + 1 : 0`,
      replace: `isBad(decoded) ? 1 : 0`
    },
    {
      name: "impossible-codes-end-the-connection",
      promise: 14,
      test: "packages/peer/test/regression/numbers.test.ts",
      find: `error } } catch { return { text: Message.failureText(id, ErrorObject.internalError, form)`,
      replace:
        `error } } catch (defect) { throw defect; return { text: Message.failureText(id, ErrorObject.internalError, form)`
    },
    {
      name: "defects-are-told",
      promise: 15,
      find: `if (error === undefined) return ErrorObject.internalError`,
      replace: `if (error === undefined) return { ...ErrorObject.internalError, data: String(Cause.squash(cause)) }`
    },
    {
      name: "private-causes-are-told",
      promise: 15,
      find: `: error.code, error.message, error.data)`,
      replace: `: error.code, error.message, error.data ?? String(error.cause))`
    },
    {
      name: "private-causes-are-not-logged",
      promise: 15,
      find: `answered \${refusal(error)}\`, Cause.die(error.cause))`,
      replace: `answered \${refusal(error)}\`, Cause.empty)`
    },
    {
      name: "handlers-that-throw-break-the-loop",
      promise: 15,
      test: "packages/peer/test/regression/defects.test.ts",
      find: `"a handler gave no Effect") } catch (defect) { return Exit.die(defect) }`,
      replace: `"a handler gave no Effect") } catch (defect) { throw defect }`
    },
    {
      name: "what-cannot-be-written-is-not-answered",
      promise: 15,
      find: `cannot be written as JSON\`, Cause.die(defect)) return ErrorObject.internalError } if`,
      replace: `cannot be written as JSON\`, Cause.die(defect)); throw defect } if`
    },
    {
      name: "failed-notifications-are-answered",
      promise: 20,
      find: `logFailure(message, exit.cause, this.#conversation)`,
      replace: `sink.settle(errorText("null", ErrorObject.internalError))`
    },
    {
      name: "unknown-notifications-are-answered",
      promise: 20,
      find: `this.#conversation.host.log(\`nothing serves the notification \${callName(method)}\`, Cause.empty)`,
      replace: `call.sink.settle(errorText("null", ErrorObject.methodNotFound(method)))`
    },
    {
      name: "empty-batch-replies-are-sent",
      promise: 20,
      find: `first === undefined ? undefined : Batch.join([first, ...rest])`,
      replace: `first === undefined ? "[]" : Batch.join([first, ...rest])`
    },
    {
      name: "a-batch-reply-outgrows-the-frame",
      promise: 7,
      test: "packages/peer/test/regression/batches.test.ts",
      find: `this.#fits(reply === undefined ? 0 : Utf8.byteLength(reply) + 1, reserved)`,
      replace: `this.#fits(reply === undefined ? 0 : reply.length + 1, reserved)`
    },
    {
      name: "a-batch-reply-forgets-its-commas",
      promise: 7,
      test: "packages/peer/test/regression/batches.test.ts",
      find: `byteLength(reply) + 1, reserved`,
      replace: `byteLength(reply), reserved`
    },
    {
      name: "an-id-of-any-length-is-repeated",
      promise: 14,
      test: "packages/peer/test/regression/sizes.test.ts",
      title: "is not repeated: the reply fits",
      find: `this.#conversation.limits.frame / 2`,
      replace: `Infinity`
    }
  ]
} satisfies Mutants
