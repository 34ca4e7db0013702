/** Tools whose calls may be tasks, which go on without their request. */
import * as McpTasks from "@parley/mcp-tasks/McpTasks"
import type { McpContext } from "@parley/mcp/McpContext"
import * as McpTool from "@parley/mcp/McpTool"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Applications answer with codes outside of those that JSON-RPC reserves. */
const brokenJob = -31_500

const greet = McpTool.make(
  "greet",
  { description: "Greets, at once: it is never a task.", params: { name: Schema.String } },
  ({ name }) => Effect.succeed(`Hello, ${name}!`)
)

const compute = McpTool.make(
  "slow_compute",
  {
    title: "Compute slowly",
    description: "Takes its time, and says so as a task. It can be cancelled.",
    params: {
      seconds: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 3600 })),
      label: Schema.optionalKey(Schema.String)
    },
    extensions: [McpTasks.optional()]
  },
  ({ label = "it", seconds }, call) =>
    call.progress({ progress: 0, total: seconds, message: `computing ${label}` }).pipe(
      Effect.andThen(Effect.sleep(seconds * 1_000)),
      Effect.as(`${label} was computed in ${seconds} seconds.`)
    )
)

const failing = McpTool.make(
  "failing_job",
  { description: "A task that says that it failed.", extensions: [McpTasks.required()] },
  () => Effect.delay(Effect.fail(new Error("The job failed, as it always does.")), "1 second")
)

const broken = McpTool.make(
  "protocol_error_job",
  { description: "A task that fails with an error of the protocol.", extensions: [McpTasks.optional()] },
  () => Effect.delay(Effect.fail(ErrorResponse.make(brokenJob, "The job broke")), "200 millis")
)

const confirmed = (call: McpContext, key: string, message: string) =>
  Effect.map(
    call.elicit(key, { message, fields: { confirm: Schema.Boolean } }),
    (answer) => answer._tag === "Accepted" && answer.content.confirm
  )

const deletion = McpTool.make(
  "confirm_delete",
  {
    title: "Delete, if you confirm",
    description: "Asks whether to delete a file that does not exist, while it is a task.",
    params: { filename: Schema.String },
    extensions: [McpTasks.optional()]
  },
  ({ filename }, call) =>
    Effect.map(
      confirmed(call, "confirm", `Delete ${filename}?`),
      (yes) => yes ? `${filename} was deleted.` : `${filename} was kept.`
    )
)

const several = McpTool.make(
  "multi_input",
  { description: "Asks two questions at once, while it is a task.", extensions: [McpTasks.optional()] },
  (_, call) =>
    Effect.map(
      Effect.all([confirmed(call, "first", "The first?"), confirmed(call, "second", "The second?")], {
        concurrency: 2
      }),
      (answers) => `${answers.filter((yes) => yes).length} of 2 were confirmed.`
    )
)

const asking = McpTool.make(
  "test_tool_with_task",
  {
    description: "Asks for a name within the request, and then becomes a task.",
    extensions: [McpTasks.required({ startAfterInput: true })]
  },
  (_, call) =>
    Effect.gen(function*() {
      const who = yield* call.elicit("user_name", { message: "What is your name?", fields: { name: Schema.String } })
      yield* call.detach
      yield* Effect.sleep("200 millis")
      return `This was done for ${who._tag === "Accepted" ? who.content.name : "nobody"}.`
    })
)

export const tools = [greet, compute, failing, broken, deletion, several, asking]
