import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp-tasks/src/internal/client",
  test: "packages/mcp-tasks/test/client/waiting.test.ts",
  mutants: [
    {
      name: "a-task-goes-on-that-nobody-waits-for",
      promise: 8,
      find: "Exit.isSuccess(exit) || task.hasEnded ? Effect.void : requests.abandon(subject)",
      replace: "Effect.void",
      title: "is cancelled when it is interrupted"
    },
    {
      name: "a-call-waits-for-ever-for-a-task",
      promise: 7,
      test: "packages/mcp-tasks/test/client/hostile.test.ts",
      find: "Effect.raceFirst(looks, overdue)",
      replace: "looks",
      title: "never ends a task"
    },
    {
      name: "a-task-that-changes-is-overdue",
      promise: 7,
      find: "if (isChanged) changed = yield* now",
      replace: "",
      title: "ends when the task stays as it is"
    },
    {
      name: "a-person-is-asked-at-each-look",
      promise: 7,
      find: "if (task.taken.has(key)) continue",
      replace: "",
      title: "answers what the task asks"
    },
    {
      name: "a-question-that-was-taken-back-is-answered",
      promise: 8,
      test: "packages/mcp-tasks/test/client/generations.test.ts",
      find: "if (key !== ahead && !Object.hasOwn(asked, key)) yield* FiberMap.remove(fibers, key)",
      replace: "",
      title: "a question that the server takes back"
    },
    {
      name: "a-state-of-another-task-counts",
      promise: 10,
      test: "packages/mcp-tasks/test/client/generations.test.ts",
      find: "state.success.taskId === this.#id",
      replace: "state.success.taskId !== \"\"",
      title: "a notification of the legacy era"
    },
    {
      name: "a-server-is-asked-without-a-pause",
      promise: 22,
      test: "packages/mcp-tasks/test/client/hostile.test.ts",
      find: "Math.max(pollIntervalMs, shortestPause)",
      replace: "Math.max(pollIntervalMs, 1)",
      title: "wants to be asked at once"
    },
    {
      name: "a-server-asks-without-end",
      promise: 17,
      test: "packages/mcp-tasks/test/client/hostile.test.ts",
      find: "task.taken.size >= mostQuestions",
      replace: "task.taken.size >= Infinity",
      title: "a thousand at once"
    },
    {
      name: "tasks-that-ask-us-pile-up",
      promise: 17,
      test: "packages/mcp-tasks/test/client/asked.test.ts",
      find: "if (kept.size >= mostTasks) {",
      replace: "if (kept.size >= Infinity) {",
      title: "are bounded"
    },
    {
      name: "whoever-waits-for-a-forgotten-task-hangs",
      promise: 9,
      test: "packages/mcp-tasks/test/client/asked.test.ts",
      find: "Effect.andThen(Deferred.fail(answered, unknown(taskId)), Fiber.interrupt(fiber))",
      replace: "Effect.andThen(Effect.void, Fiber.interrupt(fiber))",
      title: "are forgotten when their time is over"
    },
    {
      name: "a-handle-cancels-its-task",
      promise: 8,
      test: "packages/mcp-tasks/test/client/handles.test.ts",
      find: "await: Effect.suspend(() => settled(begin(subject), () => {})).pipe(",
      replace:
        "await: Effect.suspend(() => settled(begin(subject), () => {})).pipe(Effect.onInterrupt(() => requests.abandon(subject)),",
      title: "nothing is cancelled when nobody waits"
    }
  ]
} satisfies Mutants
