/**
 * The requests that a handler sends to its client: what each needs of the client, how it is written, and how its
 * answer is read. In the legacy era, `Direct` sends them as requests of the server.
 */
import type { Params } from "@parley/contract/shared"
import * as SealedState from "@parley/oauth/SealedState"
import { type Caller, InvalidArguments } from "@parley/peer/Caller"
import { Excerpt } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type {
  AskOptions,
  ClientAnswer,
  ClientQuestion,
  Elicited,
  Form,
  FormFields,
  McpContext,
  RelayOptions
} from "../../../McpContext.ts"
import * as Capabilities from "../../../payload/Capabilities.ts"
import { type ElicitForm, type ElicitResult, type ElicitUrl, isOfferable } from "../../../payload/Elicitation.ts"
import type { InputRequest } from "../../../payload/Results.ts"
import type { Root } from "../../../payload/Roots.ts"
import type { SampleRequest, SampleResult } from "../../../payload/Sampling.ts"
import * as StandardSchema from "../../../schema/StandardSchema.ts"
import { ClientCapabilityMissing, type ClientRequestError, InvalidAnswer } from "../../../server/ClientRequestError.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import type * as WireIssue from "../../../wire/WireIssue.ts"
import { omit, segmentOf } from "../../Json.ts"
import { schemaOf } from "../../schema/document.ts"
import { requestedSchema } from "../../schema/form.ts"
import { imbalanceOf } from "../../wire/toolBalance.ts"

export class Keys {
  private readonly taken = new Set<string>()

  /** Throws where the key is taken: a handler that runs again would find the first answer under the second question. */
  take(key: string): void {
    if (this.taken.has(key)) {
      throw new Error(
        `the key ${JSON.stringify(key)} is used twice in one call: each question and each memo needs its own`
      )
    }
    this.taken.add(key)
  }

  /** What failed, or was given up, may be tried again. */
  release(key: string): void {
    this.taken.delete(key)
  }

  /** Takes the key for an effect, and releases it where that does not succeed. */
  during<A, E, R>(key: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      this.take(key)
      return Effect.onExit(
        effect,
        (exit) => Exit.isSuccess(exit) ? Effect.void : Effect.sync(() => this.release(key))
      )
    })
  }
}

/** One question, as it travels, and what its answer means. */
export interface Question<A> {
  readonly request: InputRequest
  readonly read: (answer: Schema.Json) => Result.Result<A, WireIssue.WireIssue>
  readonly options: QuestionOptions
}

/** How a question is asked. */
type QuestionOptions = AskOptions & RelayOptions

const byDefault: QuestionOptions = {}

/** How questions travel in an era. */
export interface Asker {
  ask<A>(key: string, question: Question<A>): Effect.Effect<A, ClientRequestError>
  memo: McpContext["memo"]
  /** Has the call go on behind its answer, where it can and does not yet. */
  readonly detach: Effect.Effect<void>
}

/** One is made for each call that is served, so it has methods in place of functions of its own. */
export class Questions
  implements Pick<McpContext, "elicit" | "elicitUrl" | "sample" | "listRoots" | "ask" | "memo" | "detach">
{
  private readonly asker: Asker
  private readonly codec: RevisionCodec
  private readonly capabilities: Capabilities.ClientCapabilities

  constructor(asker: Asker, codec: RevisionCodec, capabilities: Capabilities.ClientCapabilities) {
    this.asker = asker
    this.codec = codec
    this.capabilities = capabilities
  }

  elicit<const F extends FormFields | StandardSchema.Described>(
    key: string,
    { message, requestedSchema: verbatim, fields: schema }: Form<F>,
    options?: AskOptions
  ): Effect.Effect<Elicited<StandardSchema.Decoded<F>>, ClientRequestError> {
    return this.askForm(
      key,
      () => ({
        message,
        // The author of the form is responsible for a schema of an object; it is sent as it is.
        requestedSchema: (verbatim ?? requestedSchema(schema)) as ReturnType<typeof requestedSchema>
      }),
      this.elicited((content) => readContent(schema, content)),
      options
    )
  }

  elicitUrl(key: string, ask: Omit<ElicitUrl, "_meta">): Effect.Effect<Elicited<void>, ClientRequestError> {
    return this.askUrl(key, ask, this.elicited(() => Result.void))
  }

  sample(
    key: string,
    request: SampleRequest,
    options?: QuestionOptions
  ): Effect.Effect<SampleResult, ClientRequestError> {
    const withTools = request.tools !== undefined || request.toolChoice !== undefined
    const imbalance = this.codec.features.samplingTools ? imbalanceOf(request.messages) : undefined
    if (imbalance !== undefined) {
      const [{ message, path } = { message: "", path: [] }] = imbalance.issues
      const cause = new TypeError(`${path.join(".")}: ${message}`)
      return Effect.fail(new InvalidArguments({ method: "sampling/createMessage", cause }))
    }
    return this.pose(key, {
      method: "sampling/createMessage",
      can: withTools ? Capabilities.canSampleTools : Capabilities.canSample,
      needs: { sampling: withTools ? { tools: {} } : {} },
      write: () => this.codec.encode.sampleRequest(request),
      read: this.codec.decode.sampleResult,
      options
    })
  }

  listRoots(key = "roots"): Effect.Effect<ReadonlyArray<Root>, ClientRequestError> {
    return Effect.map(this.askRoots(key), ({ roots }) => roots)
  }

  ask<const Q extends ClientQuestion>(
    key: string,
    question: Q,
    options?: RelayOptions
  ): Effect.Effect<ClientAnswer<Q>, ClientRequestError> {
    // The method of a question decides its answer.
    return this.askAny(key, question, options) as Effect.Effect<ClientAnswer<Q>, ClientRequestError>
  }

  memo<A, I, E, R>(
    key: string,
    schema: Schema.Codec<A, I>,
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> {
    return this.asker.memo(key, schema, effect)
  }

  get detach(): Effect.Effect<void> {
    return this.asker.detach
  }

  private askAny(
    key: string,
    question: ClientQuestion,
    options: QuestionOptions | undefined
  ): Effect.Effect<ClientAnswer, ClientRequestError> {
    switch (question.method) {
      case "elicitation/create": {
        // The revision of the client writes the mode by itself.
        const params = omit(question.params, "mode")
        return "url" in params
          ? this.askUrl(key, params, this.codec.decode.elicitResult, options)
          : this.askForm(key, () => params, this.codec.decode.elicitResult, options)
      }
      case "sampling/createMessage":
        return this.sample(key, question.params, options)
      case "roots/list":
        return this.askRoots(key, question.params, options)
    }
  }

  private askForm<A>(key: string, form: () => ElicitForm, read: Question<A>["read"], options?: QuestionOptions) {
    return this.pose(key, {
      method: "elicitation/create",
      can: Capabilities.canElicitForm,
      needs: { elicitation: { form: {} } },
      write: () => this.codec.encode.elicitForm(form()),
      read,
      options
    })
  }

  private askUrl<A>(key: string, ask: ElicitUrl, read: Question<A>["read"], options?: QuestionOptions) {
    return this.pose(key, {
      method: "elicitation/create",
      can: Capabilities.canElicitUrl,
      needs: { elicitation: { url: {} } },
      write: () => {
        // It is a mistake of the handler, as a field is that no form can have.
        if (!isOfferable(ask.url)) {
          throw new TypeError(`no person is asked to open ${Excerpt.quoted(ask.url)}: ${offered}`)
        }
        return this.codec.encode.elicitUrl(
          this.codec.features.elicitationId ? { elicitationId: globalThis.crypto.randomUUID(), ...ask } : ask
        )
      },
      read,
      options
    })
  }

  private askRoots(key: string, params: Schema.JsonObject = {}, options?: QuestionOptions) {
    return this.pose(key, {
      method: "roots/list",
      can: Capabilities.canListRoots,
      needs: { roots: {} },
      write: () => Result.succeed(params),
      read: this.codec.decode.rootsResult,
      options
    })
  }

  private pose<A>(key: string, { can, method, needs, options = byDefault, read, write }: {
    readonly method: InputRequest["method"]
    readonly can: (capabilities: Capabilities.ClientCapabilities) => boolean
    readonly needs: Schema.JsonObject
    readonly write: () => Result.Result<Schema.JsonObject, WireIssue.WireIssue>
    readonly read: Question<A>["read"]
    readonly options: QuestionOptions | undefined
  }): Effect.Effect<A, ClientRequestError> {
    return Effect.suspend((): Effect.Effect<A, ClientRequestError> => {
      const unsupported = (issue: string) => new ClientCapabilityMissing({ method, requiredCapabilities: needs, issue })
      if (!this.codec.clientServes(method)) return Effect.fail(unsupported("its revision has no such method"))
      if (!can(this.capabilities)) return Effect.fail(unsupported(`it did not declare ${JSON.stringify(needs)}`))
      const params = write()
      if (Result.isFailure(params)) return Effect.fail(unsupported(params.failure.message))
      return Effect.mapError(
        this.asker.ask(key, {
          request: { method, params: params.success },
          read,
          options
        }),
        (error) => isWithoutPeer(error) ? unsupported(unreachable) : error
      )
    })
  }

  private elicited<A>(
    content: (content: ElicitResult["content"]) => Result.Result<A, WireIssue.WireIssue>
  ): Question<Elicited<A>>["read"] {
    return (answer) =>
      Result.flatMap(
        this.codec.decode.elicitResult(answer),
        (result): Result.Result<Elicited<A>, WireIssue.WireIssue> => {
          if (result.action === "accept") {
            return Result.map(content(result.content), (content) => ({ _tag: "Accepted", content }))
          }
          return Result.succeed({ _tag: result.action === "decline" ? "Declined" : "Cancelled" })
        }
      )
  }
}

const offered = "give an https address, or an http one of this machine, without a user"

/** A call whose answer is one text, as over HTTP, has no way to the client before it. */
const isWithoutPeer = (error: ClientRequestError): boolean =>
  error._tag === "Disconnected" && error.reason._tag === "NoPeer"

const unreachable = "nothing can be sent to it before the answer; over HTTP its request has to accept text/event-stream"

/** It is a mistake of the form's author, as a field is that no form can have, and so a defect. */
const asynchronous =
  "the Schema of a form validates asynchronously, and an answer is read at once: validate it in the " +
  "handler, after `elicit`"

/**
 * What the person filled in, by the Schemas of the fields; nothing else of it is looked at. A form accepted without
 * content has none of its fields.
 */
const readContent = <F extends Params.Fields | StandardSchema.Described>(
  fields: F,
  content: ElicitResult["content"] = {}
): Result.Result<StandardSchema.Decoded<F>, WireIssue.WireIssue> => {
  const codec = schemaOf(StandardSchema.toRead<Params.Fields>(fields))
  const decoding = Effect.result(Schema.decodeUnknownEffect(Schema.toCodecJson(codec))(content))
  const exit = Effect.runSyncExit(decoding)
  if (Exit.isFailure(exit)) {
    const defect = Cause.squash(exit.cause)
    throw Cause.isAsyncFiberError(defect) ? new TypeError(asynchronous) : defect
  }
  // The Schema is that of the fields.
  const decoded = exit.value as Result.Result<StandardSchema.Decoded<F>, Schema.SchemaError>
  return Result.mapError(decoded, ({ issue }) => ({
    message: String(issue),
    issues: issuesOf(issue).issues.map(({ message, path = [] }) => ({
      path: ["content", ...path.map((segment) => String(segmentOf(segment)))],
      message
    }))
  }))
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

interface DirectClient {
  readonly codec: RevisionCodec
  readonly capabilities: Capabilities.ClientCapabilities
}

export class Direct implements Asker {
  readonly detach: Effect.Effect<void> = Effect.void
  private readonly caller: Caller
  private readonly timeout: Duration.Input
  private readonly client: DirectClient
  private readonly keys = new Keys()

  constructor(caller: Caller, timeout: Duration.Input | undefined, client: DirectClient) {
    this.caller = caller
    this.client = client
    this.timeout = timeout ?? SealedState.defaultTimeToLive
  }

  ask<A>(key: string, { options: { via }, read, request }: Question<A>): Effect.Effect<A, ClientRequestError> {
    const { caller, client: { capabilities, codec }, timeout } = this
    const { method, params } = request
    const asked = via?.({ caller, protocolVersion: codec.revision, capabilities, request, timeout }) ??
      caller.request(method, params, { timeout })
    return this.keys.during(
      key,
      Effect.flatMap(asked, (answer) => {
        const result = read(answer)
        return Result.isSuccess(result)
          ? Effect.succeed(result.success)
          : Effect.fail(new InvalidAnswer({ key, method, issues: result.failure.issues }))
      })
    )
  }

  /** The handler runs once only: there is nothing to remember. */
  memo<A, I, E, R>(key: string, _: Schema.Codec<A, I>, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.keys.during(key, effect)
  }
}
