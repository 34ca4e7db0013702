import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp-tasks/src/internal/server",
  test: "packages/mcp-tasks/test/server/nodes/nodes.test.ts",
  mutants: [
    {
      name: "the-code-of-a-task-is-that-of-another-revision",
      promise: 14,
      test: "packages/mcp-tasks/test/server/extension.test.ts",
      find: "code: codec.errorCode(error.code)",
      replace: "code: error.code",
      title: "has no code that this revision forbids"
    },
    {
      name: "a-task-is-told-before-it-stands-in-the-journal",
      promise: 7,
      find: `run.position = yield* this.#journal.write(record)`,
      replace: ``,
      title: "answer for the tasks of each other"
    },
    {
      name: "a-dead-process-is-waited-for-without-end",
      promise: 7,
      find: `node !== this.#node && until > this.#clock.currentTimeMillisUnsafe()`,
      replace: `true`,
      title: "say that a task has failed"
    },
    {
      name: "a-process-that-stood-still-writes-on",
      promise: 9,
      find: `const epoch = epochAfter(orphan.record.epoch, this.#clock.currentTimeMillisUnsafe())`,
      replace: `const { epoch } = orphan.record`,
      title: "take a task over once"
    },
    {
      name: "a-task-is-taken-over-twice-at-a-time",
      promise: 7,
      find: `if (run !== undefined) return run
      const epoch`,
      replace: `const epoch`,
      test: "packages/mcp-tasks/test/server/nodes/handover.test.ts",
      title: "is taken over once by a process"
    },
    {
      name: "a-fenced-task-is-left-alone",
      promise: 7,
      find: `placed === undefined || TaskRecord.isOver(placed.record)`,
      replace: `placed === undefined || placed.position !== orphan.position`,
      test: "packages/mcp-tasks/test/server/nodes/handover.test.ts",
      title: "goes on with the process that has fenced it"
    },
    {
      name: "answers-go-to-the-process-that-has-gone",
      promise: 7,
      find: `if (seen.record.epoch !== epoch)`,
      replace: `if (false)`,
      test: "packages/mcp-tasks/test/server/nodes/handover.test.ts",
      title: "answers the process that asks it now"
    },
    {
      name: "what-was-done-once-is-done-again",
      promise: 7,
      find: `run.results.set(key, result as Schema.Json)`,
      replace: ``,
      title: "run a task again that allows it"
    },
    {
      name: "a-task-that-may-run-again-fails-with-its-process",
      promise: 7,
      find: `isStopped && run.record.call !== undefined`,
      replace: `isStopped && run.record.call === undefined`,
      title: "go on at once with the tasks"
    },
    {
      name: "a-task-is-anybodys",
      promise: 23,
      find: `record.principal === principal ? { position, record } : undefined`,
      replace: `{ position, record }`,
      test: "packages/mcp-tasks/test/server/core.test.ts",
      title: "is listed for the principal"
    },
    {
      name: "a-state-that-cannot-be-written-is-given-up",
      promise: 7,
      find: `_tag === "Overloaded" && !this.#home.isClosing()`,
      replace: `false`,
      test: "packages/mcp-tasks/test/server/bounds.test.ts",
      title: "lets no task be made"
    },
    {
      name: "a-question-whose-way-has-gone-is-lost",
      promise: 18,
      find: `if (this.#isOpen(key)) { for (const way of [...this.#ways]) way.retry() }`,
      replace: ``,
      test: "packages/mcp-tasks/test/server/accidents.test.ts",
      title: "a question is sent to who waits"
    },
    {
      name: "a-node-whose-inbox-was-forgotten-is-deaf",
      promise: 18,
      find: `Effect.repeat(Effect.ignore(heard), Backoff.make({ first: "1 second", most: "1 second" }))`,
      replace: `Effect.ignore(heard)`,
      test: "packages/mcp-tasks/test/server/accidents.test.ts",
      title: "a node hears of its tasks"
    },
    {
      name: "an-inbox-is-read-in-full-for-each-task",
      promise: 18,
      find: `this.#hasHeard ? journal.empty(node) : Effect.void`,
      replace: `Effect.void`,
      test: "packages/mcp-tasks/test/server/accidents.test.ts",
      title: "a node that has no tasks"
    },
    {
      name: "a-task-that-is-about-to-run-is-taken-for-lost",
      promise: 7,
      find: `this.#runs.set(record.taskId, run)`,
      replace: ``,
      test: "packages/mcp-tasks/test/server/accidents.test.ts",
      title: "a task that is listed runs already"
    },
    {
      name: "a-cancelled-handler-waits-for-an-answer",
      promise: 18,
      find: `for (const { resume } of waiting) resume(Exit.interrupt())`,
      replace: ``,
      test: "packages/mcp-tasks/test/server/accidents.test.ts",
      title: "a task that is cancelled ends"
    },
    {
      name: "a-node-whose-clock-is-behind-takes-no-task-over",
      promise: 7,
      find: `Math.max(now * 1_024, epoch + 1)`,
      replace: `now * 1_024`,
      test: "packages/mcp-tasks/test/server/accidents.test.ts",
      title: "a node whose clock is behind"
    },
    {
      name: "each-report-is-written",
      promise: 18,
      find: `if (this.#isWriting || this.#calm !== undefined) return`,
      replace: `return this.#flush()`,
      test: "packages/mcp-tasks/test/server/bounds.test.ts",
      title: "and a handler that reports without end"
    },
    {
      name: "a-key-is-asked-under-twice",
      promise: 16,
      find: `this.#asked.has(unique)`,
      replace: `false`,
      test: "packages/mcp-tasks/test/server/extension.test.ts",
      title: "asks again under another key"
    },
    {
      name: "the-bound-of-running-tasks-is-never-given-back",
      promise: 24,
      find: `this.#running.give(party)`,
      replace: `this.#running.take(party)`,
      test: "packages/mcp-tasks/test/server/bounds.test.ts",
      title: "by how many run"
    },
    {
      name: "a-result-that-cannot-be-written-ends-no-task",
      promise: 7,
      test: "packages/mcp-tasks/test/server/bounds.test.ts",
      find: "const text = Result.try(() => String(JSON.stringify(ending.result ?? ending.error)))",
      replace:
        "const text = Result.succeed(JSON.stringify(ending.result ?? ending.error)) as Result.Result<string, unknown>",
      title: "by what can be written"
    }
  ]
} satisfies Mutants
