import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/Reply.ts",
  test: "packages/peer/test/Serving.test.ts",
  mutants: [
    {
      name: "defects-are-told",
      promise: 15,
      find: `    return Message.failureText(id, ErrorObject.internalError)
  }
  const { error }`,
      replace: `    return Message.failureText(id, { ...ErrorObject.internalError, data: String(Cause.squash(cause)) })
  }
  const { error }`
    },
    {
      name: "what-is-dropped-is-not-logged",
      promise: 10,
      test: "packages/peer/test/Calls.test.ts",
      find: `    if (isDebugging) Effect.runForkWith(context)(Effect.logDebug(message))\n`,
      replace: ``
    },
    {
      name: "private-causes-are-not-logged",
      promise: 15,
      find: `  if (error.cause !== undefined) log(`,
      replace: `  if (error.cause === null) log(`
    },
    {
      name: "what-cannot-be-written-is-not-answered",
      promise: 15,
      find: `    log("a reply cannot be written as JSON", Cause.die(defect))
    drop(after)
    return sink.settle(Message.failureText(id, ErrorObject.internalError))`,
      replace: `    throw defect`
    },
    {
      name: "empty-batch-replies-are-sent",
      promise: 20,
      find: `    this.#done.settle(first === undefined ? undefined : Batch.join([first, ...rest]), this.#after)`,
      replace: `    this.#done.settle(\`[\${this.#replies.join(",")}]\`)`
    },
    {
      name: "batches-run-nothing-after-their-reply",
      promise: 11,
      test: "packages/peer/test/Order.test.ts",
      find: `(this.#after ??= []).push(...after)`,
      replace: `void after`
    },
    {
      name: "failures-run-what-is-for-a-success",
      promise: 11,
      test: "packages/peer/test/Order.test.ts",
      find: `  drop(after)
  sink.settle(reply)`,
      replace: `  sink.settle(reply, after)`
    },
    {
      name: "what-a-refused-reply-holds-is-kept",
      promise: 8,
      test: "packages/peer/test/regression/streams.test.ts",
      title: "where its call fails, its reply finds no room in a batch",
      find: `        if (!fits) this.#drop(after)
        else if (after`,
      replace: `        if (fits && after`
    },
    {
      name: "impossible-codes-end-the-connection",
      promise: 14,
      test: "packages/peer/test/regression/numbers.test.ts",
      find: `  } catch {\n    return Message.failureText(id, ErrorObject.internalError)`,
      replace: `  } catch (defect) {\n    throw defect`
    }
  ]
} satisfies Mutants
