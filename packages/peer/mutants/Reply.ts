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
      name: "private-causes-are-not-logged",
      promise: 15,
      find: `  if (error.cause !== undefined) log(`,
      replace: `  if (error.cause === null) log(`
    },
    {
      name: "what-cannot-be-written-is-not-answered",
      promise: 15,
      find: `    log("a reply cannot be written as JSON", Cause.die(defect))
    return Message.failureText(id, ErrorObject.internalError)`,
      replace: `    throw defect`
    },
    {
      name: "empty-batch-replies-are-sent",
      promise: 20,
      find: `    this.#done(first === undefined ? undefined : Batch.join([first, ...rest]))`,
      replace: `    this.#done(\`[\${this.#replies.join(",")}]\`)`
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
