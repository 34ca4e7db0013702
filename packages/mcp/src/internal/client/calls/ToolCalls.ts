/**
 * The tools that a client knows, from the lists it has seen, and calls of them.
 */
import * as SchemaCheck from "@parley/json-schema/SchemaCheck"
import * as Caller from "@parley/peer/Caller"
import { Excerpt } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Semaphore from "effect/Semaphore"
import type { RequestOptions, ToolOptions, TypedToolOptions } from "../../../client/ClientOptions.ts"
import { InvalidResult, type McpAskedError, type McpToolError, ToolError } from "../../../client/McpClientError.ts"
import type { StartedTool } from "../../../client/McpTask.ts"
import * as HeaderValue from "../../../http/HeaderValue.ts"
import type { ToolInfo, ToolPage } from "../../../payload/Listing.ts"
import { type CallToolResult, isInputRequired } from "../../../payload/Results.ts"
import * as Tasks from "../../../payload/Tasks.ts"
import type { Task } from "../../../payload/Tasks.ts"
import * as McpError from "../../../wire/McpError.ts"
import { isObject, segmentOf } from "../../Json.ts"
import type { InputRounds } from "../answers/InputRounds.ts"
import type * as Notices from "../changes/Notices.ts"
import { mostWeight, weightOf } from "../lists/weight.ts"
import type { ClientSession } from "../negotiation/ClientSession.ts"
import type { SendOptions } from "../requests/Sender.ts"
import type { TaskHandles } from "../tasks/ClientTasks.ts"
import * as TaskCall from "../tasks/TaskCall.ts"
import type { Subject } from "../tasks/TaskRequests.ts"

/** @internal */
export interface ToolCalls {
  /** Takes the tools of a page, and gives those that may be offered. */
  readonly take: (page: ToolPage, isFirst: boolean) => ReadonlyArray<ToolInfo>
  /** Calls a tool, and waits for it where the call becomes a task. */
  readonly call: <P>(
    name: string,
    args: P | undefined,
    options: ToolOptions<P> | undefined
  ) => Effect.Effect<CallToolResult, McpToolError>
  /** Calls a tool, as a task where it may be one. */
  readonly start: <P>(
    name: string,
    args: P | undefined,
    options: ToolOptions<P> | undefined
  ) => Effect.Effect<StartedTool, McpToolError>
  /** Reads the result of a task, and holds it against the tool. */
  readonly check: (subject: Subject, json: Schema.Json) => Effect.Effect<CallToolResult, McpToolError>
}

/** @internal */
export interface Options {
  readonly session: ClientSession
  readonly rounds: InputRounds
  readonly notices: Notices.Notices
  /** Whether tools may ask for headers, so that some cannot be called. */
  readonly hasHeaders: boolean
  /** Whether results are held against the output schemas of their tools. */
  readonly checksResults: boolean
  /** Whether a result is refused where nobody knows if it fits. */
  readonly isStrict: boolean
  readonly log: (message: string) => void
  /** Lists the tools again. */
  readonly refresh: Effect.Effect<unknown, McpAskedError>
  readonly tasks: Pick<TaskHandles, "handle" | "wait">
  /** Whether servers of the modern era are told that calls may become tasks. */
  readonly declaresTasks: boolean
}

interface Known {
  readonly info: ToolInfo
  /** Made when the first result is looked at. */
  check: SchemaCheck.Check | undefined
}

/** How many tools are remembered, for the schemas of their results. */
const mostKnown = 10_000

/** @internal */
export const make = (options: Options): ToolCalls => {
  const { checksResults, declaresTasks, hasHeaders, isStrict, log, notices, refresh, rounds, session, tasks } = options
  const known = new Map<string, Known>()
  /** The weight of the pages with them. */
  let weight = 0
  /** Whether all tools were listed, so that those that are tasks are known. */
  let isListed = false
  const forget = () => {
    known.clear()
    weight = 0
    isListed = false
  }
  notices.on("notifications/tools/list_changed", forget)

  const take: ToolCalls["take"] = (page, isFirst) => {
    const { tools } = page
    if (isFirst) forget()
    weight += weightOf(page)
    const reads = hasHeaders && session.agreed().codec.features.requestHeaders
    const offered = reads ? tools.filter(isCallable) : tools
    const fits = weight <= mostWeight
    for (const info of offered) if (fits && known.size < mostKnown) known.set(info.name, { info, check: undefined })
    return offered
  }

  const isCallable = ({ inputSchema, name }: ToolInfo): boolean => {
    const headers = HeaderValue.headersOf(inputSchema)
    if (Result.isFailure(headers)) log(`dropped the tool ${Excerpt.line(name)}: ${Excerpt.line(headers.failure)}`)
    return Result.isSuccess(headers)
  }

  /** The tools of which was told that results pass unchecked: once for each, however often the tools are listed. */
  const unchecked = new Set<string>()

  const passUnchecked = (name: string, why: string, result: CallToolResult) => {
    if (!unchecked.has(name)) {
      if (unchecked.size >= mostKnown) unchecked.clear()
      unchecked.add(name)
      log(`results of the tool ${Excerpt.quoted(name)} pass without being checked: ${Excerpt.line(why, 512)}`)
    }
    return Effect.succeed(result)
  }

  const checked = (name: string, result: CallToolResult): Effect.Effect<CallToolResult, ToolError | InvalidResult> => {
    if (result.isError === true) return Effect.fail(new ToolError({ tool: name, result }))
    if (!checksResults) return Effect.succeed(result)
    const tool = known.get(name)
    const schema = tool?.info.outputSchema
    if (tool === undefined || schema === undefined) return Effect.succeed(result)
    const { features, revision } = session.agreed().codec
    if (features.structuredContent === "none") return Effect.succeed(result)
    if (features.structuredContent === "object" && schema["type"] !== "object") {
      return passUnchecked(name, `revision ${revision} has no output schema whose type is not object`, result)
    }
    if (!Object.hasOwn(result, "structuredContent") || result.structuredContent === undefined) return missing
    tool.check ??= SchemaCheck.make(schema)
    const issue = tool.check(result.structuredContent)
    if (issue === undefined) return Effect.succeed(result)
    const path = ["structuredContent", ...issue.path]
    if (issue.isUndecided === true && !isStrict) {
      return passUnchecked(name, `at ${path.slice(0, 16).join(".")}: ${issue.rule}`, result)
    }
    return Effect.fail(new InvalidResult({ method: "tools/call", path, rule: issue.rule }))
  }

  const check: ToolCalls["check"] = ({ id, tool = `of task ${id}` }, json) => {
    const result = session.read("tools/call", session.agreed().codec.decode.callToolResult, json)
    if (Result.isFailure(result)) return Effect.fail(result.failure)
    return isInputRequired(result.success) ? asksAgain : checked(tool, result.success)
  }

  const attempt = (
    name: string,
    args: Schema.JsonObject | undefined,
    task: Schema.JsonObject | undefined,
    options: SendOptions | undefined
  ) =>
    Effect.suspend(() =>
      rounds<CallToolResult | TaskCall.Created>(
        "tools/call",
        { name, ...(args !== undefined && { arguments: args }), ...(task !== undefined && { task }) },
        optionsOf(known.get(name)?.info, options),
        (codec) => TaskCall.decoder(codec, declaresTasks)
      )
    )

  /** Only headers need to know the tool. */
  const optionsOf = (tool: ToolInfo | undefined, options: SendOptions | undefined) =>
    hasHeaders && tool !== undefined ? { ...options, tool } : options

  const listing = Semaphore.makeUnsafe(1)

  /** Lists the tools, unless one is known or they were listed. A tool that cannot be listed may still be called. */
  const know = (name: string) =>
    listing.withPermits(1)(Effect.suspend(() => {
      if (isListed || known.has(name)) return Effect.void
      return Effect.andThen(
        Effect.ignore(refresh),
        Effect.sync(() => {
          isListed = true
        })
      )
    }))

  /** The member of a call that asks for a task, where the tool is one that needs or takes it. */
  const taskOf = (name: string, request: ToolOptions["task"]): Effect.Effect<Schema.JsonObject | undefined> =>
    Effect.suspend(() => {
      const { capabilities, codec } = session.agreed()
      return codec.features.tasks === "core" && capabilities !== undefined && Tasks.canCallTool(capabilities)
        ? Effect.map(know(name), () => TaskCall.request(codec, known.get(name)?.info.execution?.taskSupport, request))
        : Effect.undefined
    })

  const answered = <P>(
    name: string,
    args: P | undefined,
    options: ToolOptions<P> | undefined,
    request: ToolOptions["task"],
    progressToken?: string
  ): Effect.Effect<CallToolResult | TaskCall.Created, McpAskedError> => {
    const encoded = encode(args, options?.params)
    if (Result.isFailure(encoded)) return Effect.fail(encoded.failure)
    const first = Effect.flatMap(
      taskOf(name, request),
      (task) => attempt(name, encoded.success, task, task === undefined ? options : { ...options, progressToken })
    )
    if (!hasHeaders) return first
    return Effect.catchTag(first, "ProtocolError", (error) =>
      error.code === McpError.HeaderMismatch
        // What the tool asks for has changed.
        ? Effect.andThen(refresh, first)
        : Effect.fail(error))
  }

  const subjectOf = (
    tool: string,
    { result }: TaskCall.Created,
    { maxTimeout, meta, timeout }: RequestOptions = {}
  ): Subject => ({ id: result.task.taskId, tool, options: { maxTimeout, meta, timeout } })

  const waited = <P>(
    name: string,
    args: P | undefined,
    options: ToolOptions<P> | undefined,
    progress?: TaskCall.TaskProgress
  ): Effect.Effect<CallToolResult, McpToolError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(answered(name, args, options, options?.task, progress?.token)), (answer) => {
        if (!(answer instanceof TaskCall.Created)) return checked(name, answer)
        const hear = (state: Task) => {
          options?.onTask?.(state)
          progress?.hear(state)
        }
        return tasks.wait(subjectOf(name, answer, options), answer.result.task, hear, restore)
      })
    )

  const call: ToolCalls["call"] = (name, args, options) => {
    const { onProgress } = options ?? {}
    return onProgress === undefined ? waited(name, args, options) : Effect.acquireUseRelease(
      Effect.sync(() => new TaskCall.TaskProgress(notices, onProgress)),
      (progress) => waited(name, args, options, progress),
      (progress) => Effect.sync(() => progress.end())
    )
  }

  const start: ToolCalls["start"] = (name, args, options) =>
    Effect.flatMap(
      answered(name, args, options, options?.task ?? {}),
      (answer): Effect.Effect<StartedTool, McpToolError> =>
        answer instanceof TaskCall.Created
          ? Effect.succeed({
            _tag: "Task",
            task: tasks.handle(subjectOf(name, answer, options)),
            created: answer.result
          })
          : Effect.map(checked(name, answer), (result) => ({ _tag: "Result", result }))
    )

  return { take, call, start, check }
}

const asksAgain = Effect.fail(
  new InvalidResult({ method: "tools/call", path: [], rule: "the result of a task asks for input" })
)

const missing = Effect.fail(
  new InvalidResult({
    method: "tools/call",
    path: ["structuredContent"],
    rule: "it is missing, and the tool has an output schema"
  })
)

const encode = <P>(
  args: P | undefined,
  params: Schema.Codec<P, unknown> | undefined
): Result.Result<Schema.JsonObject | undefined, Caller.InvalidArguments> => {
  const encoded: Result.Result<unknown, Schema.SchemaError> = params === undefined
    ? Result.succeed(args)
    : Schema.encodeUnknownResult(Schema.toCodecJson(params))(args)
  if (Result.isFailure(encoded)) return refuse(encoded.failure)
  const value = encoded.success
  if (value === undefined) return Result.succeed(undefined)
  return isObject(value)
    // What is no JSON in it is refused where it is written.
    ? Result.succeed(value as Schema.JsonObject)
    : refuse(new TypeError("the arguments of a tool are an object"))
}

const refuse = (cause: unknown) => Result.fail(new Caller.InvalidArguments({ method: "tools/call", cause }))

/** The structured content, as the caller's Schema reads it. @internal */
export const decodeContent = <A, P>(
  { result: schema }: TypedToolOptions<A, P>
): (result: CallToolResult) => Effect.Effect<A, InvalidResult> => {
  const decode = Schema.decodeUnknownExit(Schema.toCodecJson(schema))
  return (result) => {
    if (!Object.hasOwn(result, "structuredContent")) return nothing
    return Effect.mapError(decode(result.structuredContent), ({ issue }) => {
      const [first] = standard(issue).issues
      return new InvalidResult({
        method: "tools/call",
        path: ["structuredContent", ...(first?.path ?? []).map(segmentOf)],
        rule: Excerpt.line(first?.message ?? String(issue))
      })
    })
  }
}

const nothing = Effect.fail(
  new InvalidResult({ method: "tools/call", path: ["structuredContent"], rule: "it is missing" })
)

const standard = SchemaIssue.makeFormatterStandardSchemaV1()
